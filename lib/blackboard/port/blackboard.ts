// The blackboard as the rest of Sett sees it. One suite (test/integration/blackboard/suite.ts)
// holds what implements it (redis/) to it, on a real Redis and on a small one in memory. All writes
// are atomic and safe to repeat with the same arguments. A call repeats itself during short losses
// of contact and then rejects with `redis-unreachable`; followers continue after every loss, and
// throw the same error once the connection is given up.
import type {
  AgentRegistration,
  AgentStatus,
  RegisteredAgent,
  ReportedStatus,
} from "../../model/agent.ts";
import type { Actor } from "../../model/event.ts";
import type { AgentName, InstanceName } from "../../model/ids.ts";
import type { ArtefactBoard } from "./artefacts.ts";
import type { AskedCallBoard } from "./asked-calls.ts";
import type { ClaimBoard } from "./claims.ts";
import type { EraseBoard } from "./erase.ts";
import type { FactBoard } from "./facts.ts";
import type { GrantBoard } from "./grants.ts";
import type { LeaderLease } from "./leader.ts";
import type { Log } from "./log.ts";
import type { MailBoard } from "./mail-port.ts";
import type { ModelBoard } from "./models.ts";
import type { NoticeBoard } from "./notices.ts";
import type { PeopleBoard } from "./people.ts";
import type { ProofBoard } from "./proof.ts";
import type { PruneBoard } from "./prune.ts";
import type { ReplyBoard } from "./replies.ts";
import type { TriggerBoard } from "./triggers.ts";

/**
 * How many bytes Redis uses, and its limit, undefined where there is none. `policy`: the name of
 * what it does there; with `noeviction`, and no other, it refuses writes and removes nothing.
 */
export type Memory = {
  usedBytes: number;
  limitBytes: number | undefined;
  policy?: string | undefined;
};

export interface Blackboard
  extends ArtefactBoard,
    ClaimBoard,
    GrantBoard,
    PeopleBoard,
    AgentBoard,
    MailBoard,
    ModelBoard,
    AskedCallBoard,
    NoticeBoard,
    FactBoard,
    ProofBoard,
    PruneBoard,
    EraseBoard,
    ReplyBoard,
    TriggerBoard,
    LeaderLease,
    Log,
    AsyncDisposable {
  readonly instance: InstanceName;
  /**
   * Redis TIME, Unix milliseconds. Rejects with `redis-unreachable` when there is no answer in
   * time.
   */
  time(): Promise<number>;
  readMemory(): Promise<Memory>;
  /**
   * Whether Redis has handed to its system all that it has acknowledged before this call. That
   * survives the end of Redis, though not the end of its machine. It has not while its disk is slow
   * or full.
   */
  hasWritten(): Promise<boolean>;
  /**
   * Since when Redis has answered and accepted writes without a break, by `performance.now()`, a
   * clock that is never set; undefined while it does not.
   */
  contactSince(): number | undefined;
  /**
   * Why there is no contact, as a sentence: Redis does not answer, or refuses writes; undefined
   * while there is contact.
   */
  contactProblem(): string | undefined;
  /**
   * Grows with each connection that is made anew after a loss. A Redis that crashed may have lost
   * what it acknowledged last, so that what was read under another number may never have been.
   */
  connectionNumber(): number;
  /**
   * Calls `listener` after each reconnect, when cached state is stale, and before any call uses the
   * new connection. Returns the function that unsubscribes it.
   */
  onReconnect(listener: () => void): () => void;
}

/** `worker` is the container's name. */
export type WorkerLog = { worker: string; lines: string[] };

export interface AgentBoard {
  /**
   * Writes the registrations; `agent_registered` events for what is new or changed. With `exact`,
   * agents not named are removed (`agent_removed`).
   */
  registerAgents(
    registrations: readonly RegisteredAgent[],
    actor: Actor,
    options: { exact: boolean },
  ): Promise<void>;
  /**
   * For agents that are about to start: a registered agent gets its new registration; a new one is
   * stored apart, where `findAgent` reads it, and is not asked to bid until it is registered. An
   * exact registration removes the expected agents that it does not name.
   */
  expectAgents(registrations: readonly AgentRegistration[], actor: Actor): Promise<void>;
  /** By name. An agent whose registration cannot be read is among them, as `unreadable`. */
  listAgents(): Promise<RegisteredAgent[]>;
  /** The registration of one agent, also of one that is only expected. */
  findAgent(name: AgentName): Promise<RegisteredAgent | undefined>;
  /**
   * Keeps what a worker has logged when its container is removed. Only the newest of each agent are
   * kept.
   */
  keepWorkerLog(agent: AgentName, log: WorkerLog): Promise<void>;
  /**
   * Reads the log of an agent's workers, oldest first; with `after`, an `id`, only what was kept
   * after that one.
   */
  readWorkerLogs(agent: AgentName, after?: string): Promise<(WorkerLog & { id: string })[]>;
  reportStatus(agent: AgentName, status: AgentStatus): Promise<void>;
  /**
   * The last heartbeats of agents that are registered or expected, each with the workspaces that
   * the agent, or a worker of it, is preparing (`notePreparing`).
   */
  listStatuses(): Promise<Map<AgentName, ReportedStatus>>;
}
