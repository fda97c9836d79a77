// The dependencies of the API. All of them are passed in: `sett ui` and the container choose other
// ones.
import type { Clock } from "../../lib/async/clock.ts";
import type { PersonBlackboard } from "../../lib/blackboard/port/holders.ts";
import type { Marks } from "../../lib/client/actions/marks.ts";
import type { PostingRepository } from "../../lib/client/actions/post-artefact.ts";
import type { Sign } from "../../lib/client/actions/sign.ts";
import type { ChangesWanted } from "../../lib/client/facts/changes.ts";
import type { ReadBodies } from "../../lib/client/facts/transcript.ts";
import type { Suggest } from "../../lib/client/text/suggest.ts";
import type { Tag } from "../../lib/git/repository/tags.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { Actor } from "../../lib/model/event.ts";
import type { CommitHash, GoalId, InstanceName } from "../../lib/model/ids.ts";
import type { Trigger } from "../../lib/model/trigger.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import type { BroughtLimits } from "./access/brought-today.ts";
import type { OidcSettings } from "./access/oidc.ts";
import type { KnownToken } from "./access/tokens.ts";
import type { StreamLimits } from "./events/stream.ts";
import type { ApiMetrics } from "./metrics.ts";

export type Deps = {
  board: PersonBlackboard;
  version: string;
  /** Large answers wait here for their clients; undefined: in that of the system. */
  folder?: string | undefined;
  tokens: readonly KnownToken[];
  oidc?: OidcSettings | undefined;
  /**
   * The key signs the page's sessions, which are good as long as it stays the same. Undefined:
   * another one at each start.
   */
  sessionKey?: Buffer | undefined;
  /** Browsers reach it by TLS alone. */
  isSecure: boolean;
  /** Requests may come to these names, as a URL has them; undefined: to any. */
  hostNames?: readonly string[] | undefined;
  /** Other origins whose pages may use the API: none, most often. */
  origins: readonly string[];
  /** Undefined where the API sees no repository: then it states no goals, and shows no commits. */
  repository?: Repository | undefined;
  /** Triggers state goals by themselves; most instances have none. */
  triggers?: readonly Trigger[];
  /** The secret of a webhook, by its name; undefined where `sett up` has not given it. */
  secretOf?: (name: string) => Promise<string | undefined>;
  /** Undefined where it reaches no container runtime. */
  logs?: Logs | undefined;
  /** The kept bodies of calls; undefined where it reaches no gateway. */
  readBodies?: ReadBodies | undefined;
  /** Reads what commands have printed; undefined where it reaches no recorder. */
  readOutput?: ReadOutput | undefined;
  /** Draws DOT. */
  drawSvg: (dot: string) => Promise<string>;
  metrics: ApiMetrics;
  log: JsonLog;
  clock: Clock;
  newId: () => string;
  suggest: Suggest;
  limits: Limits;
};

export type Limits = {
  maxBodyBytes: number;
  /** The limit counts for one token, in a minute. */
  requestsPerMinute: number;
  writesPerMinute: number;
  /** Streams of events and logs that are open at the same time. */
  maxStreams: number;
  stream: StreamLimits;
  /** Bodies of requests of callers that are known. */
  bodies: BodyLimits;
  /** Bodies of deliveries to webhooks, which anyone may send. */
  hookBodies: BodyLimits;
  /** The commits that one token brings from elsewhere in a day. */
  brought: BroughtLimits;
};

/**
 * `deadlineMs`: until a body is whole. `maxHeldBytes`: what all that are under way, or worked on,
 * may take together.
 */
export type BodyLimits = { deadlineMs: number; maxHeldBytes: number };

const mebibyte = 1024 * 1024;

export const defaultLimits: Limits = {
  maxBodyBytes: 2 * mebibyte,
  requestsPerMinute: 3_000,
  writesPerMinute: 300,
  maxStreams: 1_000,
  stream: { pingMs: 15_000, patienceMs: 30_000 },
  bodies: { deadlineMs: 30_000, maxHeldBytes: 64 * mebibyte },
  // GitHub and GitLab themselves give a delivery up after ten seconds.
  hookBodies: { deadlineMs: 10_000, maxHeldBytes: 32 * mebibyte },
  // It is as much as one agent may print in a day.
  brought: { bytes: 1024 * mebibyte, commits: 1_000 },
};

/** Undefined where it is not kept. Throws `not-ready`. */
export type ReadOutput = (body: {
  goal: GoalId;
  digest: string;
}) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** The user's repository. */
export interface Repository {
  /** Undefined where it has no commits. */
  head(): Promise<CommitHash | undefined>;
  /** The commit that a hash, a branch or a tag names. Throws `usage` where it names none. */
  resolve(name: string): Promise<CommitHash>;
  /** States a goal. `commit`: where the work begins, else HEAD. Throws as `postGoal`. */
  postGoal(
    board: PersonBlackboard,
    goal: {
      text: string;
      id: GoalId | undefined;
      commit: CommitHash | undefined;
      actor: Actor;
      marks?: Marks;
      sign?: Sign | undefined;
    },
  ): Promise<Artefact>;
  /**
   * Resolves with sentences about what a clone of the commit could have, and agents of the instance
   * do not find. Never rejects: what cannot be looked into is not spoken of.
   */
  lacking(instance: InstanceName, commit: CommitHash): Promise<string[]>;
  /** Keeps a commit that a person posts. */
  posting(instance: InstanceName): Promise<PostingRepository>;
  /**
   * A pack of what the commit of an artefact needs beyond those in `have` that agents see, else
   * beyond that of its goal, whatever its size. Throws `git-failed`.
   */
  pack(
    board: PersonBlackboard,
    artefact: Artefact,
    have?: readonly CommitHash[],
  ): Promise<ReadableStream<Uint8Array>>;
  hasCommit(commit: CommitHash): Promise<boolean>;
  /** Which of these commits a goal can begin at, or a pack from elsewhere build on. */
  known(instance: InstanceName, commits: readonly CommitHash[]): Promise<CommitHash[]>;
  /** Shows agents a commit from elsewhere, of which `pack` has the rest. Throws `usage`. */
  bring(instance: InstanceName, commit: CommitHash, pack: string): Promise<void>;
  /** All tags that name a commit, the oldest first. */
  tags(): Promise<Tag[]>;
  /** Returns the changes of an artefact's commit as a unified diff. Throws as `readChanges`. */
  changes(board: PersonBlackboard, artefact: Artefact, wanted: ChangesWanted): Promise<string>;
}

/** Reads what the parts of an instance have logged. */
export interface Logs {
  /**
   * Lines of `name`, an agent or `orchestrator`, `gateway`, `redis`, `api`; the last `tail` of
   * them, then, with `follow`, new ones until the signal. Throws `agent-not-found`.
   */
  read(
    name: string,
    options: { tail: number; follow: boolean; signal: AbortSignal },
  ): AsyncIterable<string>;
}
