// The port of store and exchange: how commits come from the repository to an instance's agents,
// from one agent to another, and back. The host holds one side of it, and each agent's container
// the other. Only an implementation knows where a commit is kept, and in which form.
//
// Readers trust nothing that an agent has written. A commit is taken whole, with each object hashed
// on the way, or not at all: what has its name then is what its agent has made.
import type { AgentName, ArtefactId, CommitHash, GoalId } from "../../model/ids.ts";
import type { Owner } from "../run/find-repository.ts";
import type { GitProgress, GitWait } from "../run/progress.ts";
import type { Git } from "../run/run-git.ts";
import type { Brought } from "./store-notes.ts";

/** `agent`: the one whose artefact has the commit, empty where that is unknown. */
export interface RecordedCommit {
  readonly commit: CommitHash;
  readonly agent: AgentName | "";
}

/** The part of a person's machine, where the repository is. It is of one instance. */
export interface HostExchange {
  /** Whether it was made, and not removed since. */
  exists(): Promise<boolean>;
  /**
   * Gives each agent that may publish a place of its own, and shows all agents what HEAD and the
   * instance's goals reach, as far as the newest `history` commits of each. What exists is only
   * added to. `writer`: the user that agents are here, if not as in containers. Resolves with the
   * HEAD that they see. Throws repository-unusable, git-failed.
   */
  make(wanted: Wanted): Promise<CommitHash>;
  /** Undoes `make`. Nothing there is fine. */
  remove(): Promise<void>;
  /** Lets the containers' user show agents further commits, as the API does for its goals. */
  openToApi(): Promise<void>;
  /** The folders of this machine that a program needs for its part. */
  foldersFor(reader: Reader): SharedFolder[];
  /**
   * Shows agents all that the commits reach, and what the repository has of their submodules and of
   * their files of LFS; of a partial clone, what it lacks is fetched before. Throws git-failed,
   * repository-unusable.
   */
  show(
    commits: readonly CommitHash[],
    onProgress?: (news: GitProgress | GitWait) => void,
  ): Promise<void>;
  /** Gives the service by which agents see it what `make` has shown. Throws git-failed. */
  serve(): Promise<void>;
  /** Lists what a clone of the commit could have, and agents do not find: it is not here. */
  lacking(commit: CommitHash): Promise<Lacking[]>;
  /** How much disk it takes to show them; undefined where nothing is shown. */
  shown(): Promise<ShownSize | undefined>;
  /** `folder`: an empty one for its objects; without it they are beside those of the repository. */
  quarantine(folder?: string): Promise<Quarantine>;
  /**
   * Gives commits from elsewhere to be taken like those of their agents, until it is disposed of.
   */
  bring<Result extends RecordedCommit>(
    results: readonly Result[],
    packOf: (result: Result) => Promise<Uint8Array>,
  ): Promise<AsyncDisposable>;
  /** The commits that people elsewhere bring through the API. */
  readonly brought: BroughtCommits;
  /**
   * Takes out what the repository has by name, so that it no longer counts against its agent. Other
   * agents can go on from these commits. Throws git-failed; the next call does what is left.
   */
  release(fetched: ReadonlySet<CommitHash>): Promise<void>;
  /**
   * Takes from what agents see what was published of these commits, and these objects; they are not
   * published again. `last`: the commits among them. What agents have copied stays with them.
   */
  erase(
    commits: readonly CommitHash[],
    objects: { first: ReadonlySet<string>; last: ReadonlySet<string> },
  ): Promise<void>;
  /** False only where agents have left nothing. */
  mayHoldResults(): Promise<boolean>;
  /** Lists what each agent has left, by name. `now`: Unix time in milliseconds. */
  holdings(now?: number): Promise<AgentHoldings[]>;
}

export interface BroughtCommits {
  /** Its objects are those that agents see: git can borrow from it. */
  readonly objectsDir: string;
  /** Which of these commits agents see, with all that they reach. */
  seen(commits: readonly CommitHash[]): Promise<CommitHash[]>;
  /**
   * Shows agents the commit, of which the pack has what they do not see yet. Each object is hashed,
   * and nothing may be missing. `pack`: a file of this program. `folder`: for this program's work.
   * Throws `usage` for another pack, and git-failed.
   */
  take(commit: CommitHash, from: { pack: string; folder: string }): Promise<void>;
  /** Notes the name that the commit gets in the repository. */
  name(id: ArtefactId | GoalId, commit: CommitHash): Promise<void>;
  /** Undoes `name`, for what was not posted. */
  forget(id: ArtefactId | GoalId): Promise<void>;
  /** All that have a name, the oldest first. */
  named(): Promise<Brought[]>;
}

/** `check`: one word. `found` and `remedy`: sentences for people. */
export type Lacking = { check: string; found: string; remedy: string };

export interface Wanted {
  readonly writers: readonly AgentName[];
  readonly writer?: Owner | undefined;
  readonly history?: number | undefined;
  /** The API shows agents further commits: `openToApi` comes next. */
  readonly isOpen?: boolean | undefined;
  /** Agents reach it by a service, which gets it by `serve`. */
  readonly isServed?: boolean | undefined;
  /** Gets how far the packing of what agents see is. */
  readonly onProgress?: ((news: GitProgress | GitWait) => void) | undefined;
  /** Aborting it ends the packing, with git-failed. The next `make` goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** `sharedBytes`: of these, those that the repository pays for. */
export type ShownSize = { readonly bytes: number; readonly sharedBytes: number };

/** `isWriter`: the agent may publish. */
export type Reader = { role: "agent"; name: AgentName; isWriter: boolean } | { role: "api" };

/**
 * `path`: on this machine. `target`: where a program with folders of its own finds it. `variable`:
 * tells the program which of the two it is.
 */
export type SharedFolder = {
  path: string;
  target: string;
  access: "ro" | "rw";
  variable?: "SETT_OBJECTS_DIR" | "SETT_EXCHANGE_DIR";
};

/**
 * `path`: of what it has. `unpublished`: the names of what a crash has left there. `bytes`: how
 * much its results take that are not fetched yet. `problem`: why it cannot be looked into.
 */
export type AgentHoldings = {
  agent: string;
  path: string;
  unpublished: string[];
  bytes: number;
  problem?: string;
};

/** Commits of agents, checked, beside the repository: an object store that borrows from it. */
export interface Quarantine extends AsyncDisposable {
  readonly objectsDir: string;
  /**
   * Resolves with why some are not there now, where more is known than that no agent has them.
   * Never rejects for what agents have left.
   */
  take(wanted: readonly RecordedCommit[]): Promise<Map<CommitHash, string>>;
  /**
   * Gives the person, and other agents, the contents of LFS that have come with these commits.
   * `revisions`: the commits without what was here before, as `rev-list` reads them. Throws
   * git-failed.
   */
  keepContents(commits: readonly CommitHash[], revisions: string): Promise<void>;
  /** Whether an agent had all of the commit, and not only its name. Only for what was taken. */
  isPublished(commit: CommitHash): Promise<boolean>;
  /**
   * Commits that have exceeded the limits of git here, each with why; they are tried once a day.
   */
  readonly costly: CostlyCommits;
}

export interface CostlyCommits {
  problemOf(commit: CommitHash): string | undefined;
  note(commit: CommitHash, problem: string): void;
  /** Never rejects. */
  save(): Promise<void>;
}

/** The part of an agent's container. */
export interface AgentExchange extends AsyncDisposable {
  /**
   * The store that the host shows, and the ends of its history, as git's file `shallow` has them.
   */
  shown(): Promise<Shown>;
  /** Undefined when all of the commit was taken, else why not: empty where no agent has it. */
  take(into: Receiver, wanted: RecordedCommit): Promise<string | undefined>;
  /**
   * Gives others the commit, with all that it needs beyond `start`, the commit that its goal was
   * stated on; without `start` its whole history. A repeat changes nothing. Throws git-failed where
   * something is missing, or would be refused by readers; then nothing is published. The same is
   * true where `judgement` says no. `beside`: objects that others get with it, though no commit
   * reaches them.
   */
  publish(
    from: Origin,
    commit: CommitHash,
    start: CommitHash | undefined,
    judgement?: Judgement,
    beside?: readonly string[],
  ): Promise<void>;
  /**
   * Before a grant: as `mend` and `tidy`, and takes over what earlier containers have published.
   */
  begin(): Promise<void>;
  /**
   * After a command of the agent, which can write where its results are: puts back what it has
   * removed. Resolves with the commits that it has destroyed, each once.
   */
  mend(): Promise<CommitHash[]>;
  /** Removes what was not published. Throws where something stays. */
  tidy(): Promise<void>;
  /** The folders that count against the agent's disk until results are fetched. */
  readonly counted: readonly CountedFolder[];
}

/**
 * `depth`: undefined where the whole history is there. `submodules`: the same for the commits of
 * submodules; undefined where none is shown.
 */
export type Shown = {
  objectsDir: string;
  depth: string | undefined;
  submodules?: Shown | undefined;
  /** Contents of LFS, as `objectPath` names them. */
  lfsDir?: string | undefined;
};

/** `gitDir`: any repository of the same format; `objectsDir`: the store that gets the objects. */
export interface Receiver {
  readonly git: Git;
  readonly gitDir: string;
  readonly objectsDir: string;
}

/** The repository that has a commit. */
export type Origin = { git: Git; gitDir: string };

/** `base`: what the commit is compared with, which need not be part of its history. */
export interface Judgement {
  readonly base: CommitHash;
  /**
   * Judges a commit before others have it. The repository shows what all readers will see of it,
   * and the base, with every object hashed: the agent's own may have other objects under the same
   * names. It lasts as long as the call.
   */
  readonly isAllowed: (checked: Origin) => Promise<boolean>;
}

/**
 * `name` and `cure`: for people. `isFlat`: counting it costs little. `ownBytes`: what in it is no
 * agent's doing, and does not count.
 */
export type CountedFolder = {
  path: string;
  name: string;
  cure?: string;
  isFlat: boolean;
  ownBytes?: () => number;
};
