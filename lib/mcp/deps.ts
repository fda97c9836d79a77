// The tools of the MCP server work with these: one instance, and the person for whom an assistant
// acts.
import type { Marks } from "../client/actions/marks.ts";
import type { PostedInput } from "../client/actions/post-artefact.ts";
import type { Asker } from "../client/actions/request.ts";
import type { Since } from "../client/facts/work.ts";
import type { Right } from "../model/api-access.ts";
import type { Artefact } from "../model/artefact.ts";
import type { Actor } from "../model/event.ts";
import type { CommitHash, GoalId } from "../model/ids.ts";

export type ArtefactOrder = Omit<PostedInput, "suggest" | "id"> & { marks: Marks };

export type GoalOrder = { text: string; id: GoalId | undefined; actor: Actor; marks: Marks };

/** An instance, for the length of one call. */
export type OpenInstance = AsyncDisposable & {
  asker: Omit<Asker, "signal">;
  /** The person for whom the assistant acts, as the record would name them without it. */
  person: Actor;
  /** Throws where there is no repository, and as `postGoal`. */
  postGoal(order: GoalOrder): Promise<Artefact>;
  /**
   * Resolves with sentences about what a clone of the commit could have, and agents do not find.
   * Never rejects for what cannot be looked into.
   */
  lacking(commit: CommitHash): Promise<string[]>;
  /** Throws as `postArtefact`, and for a commit where there is no repository. */
  postArtefact(order: ArtefactOrder): Promise<Artefact>;
  /**
   * Returns what the commit of a result changes, as a unified diff. Throws where there is no
   * repository, and as `readChanges`.
   */
  changes(result: Artefact, since: Since): Promise<string>;
};

/** A call of a tool that writes. `error`: what it was refused for. `goal`: where it is known. */
export type Write = { tool: string; goal: GoalId | undefined; error?: unknown };

export type McpDeps = {
  /** Shown to the client. */
  version: string;
  rights: ReadonlySet<Right>;
  /**
   * Called for each call: an editor runs for days, and Redis may be at another port by then. Throws
   * as opening a session.
   */
  open(): Promise<OpenInstance>;
  /**
   * Puts a write on record beside what the tool itself writes. Called once for each that runs,
   * before its answer.
   */
  recordWrite?(write: Write): Promise<void>;
};
