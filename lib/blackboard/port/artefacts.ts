// Artefacts and goals as the rest of Sett sees them. A part of the port.
import type { ArchivedGoal } from "../../model/archived-goal.ts";
import type { Artefact, ArtefactHead } from "../../model/artefact.ts";
import type { Actor } from "../../model/event.ts";
import type {
  AgentName,
  ArtefactId,
  ClaimId,
  CommitHash,
  GoalId,
  LogicalId,
} from "../../model/ids.ts";
import type { KeptOutput } from "../../model/kept-output.ts";
import type { LaneName } from "../../model/lane.ts";
import type { Refused } from "./refused.ts";

/** `agent`: the one that has put it on record, empty where that is none. */
export interface DeliveredCommit {
  artefact: ArtefactId;
  commit: CommitHash;
  agent: AgentName | "";
}

export interface ArtefactBoard {
  /**
   * Stores an artefact that comes from no grant (goals, answers, the orchestrator's own), with its
   * indexes, event and hint. `exists`: the same id with the same content is stored already (a
   * repeat). Refused: another content has the id, another version its place in the thread, the
   * goal was ended, or a source is not of it.
   */
  createArtefact(
    artefact: Artefact,
    actor: Actor,
  ): Promise<{ outcome: "created" | "exists" } | Refused>;
  /**
   * Adopts an artefact that the instance's owner has written and published (`HSET`, then
   * `PUBLISH`): fills in what is missing (time, metadata, goal: its first source's, else its own
   * id), writes indexes and the `artefact_created` event (actor `hand`). `known`: it is in the
   * indexes already. `absent`: there is no such hash. Refused with an `artefact_refused` event, at
   * each call: it is incomplete or malformed, collides with another, is the result of a grant, or
   * has overwritten one that is in the indexes, which cannot be restored.
   */
  adoptArtefact(
    id: ArtefactId,
    epoch: number,
  ): Promise<{ outcome: "adopted" | "known" | "absent" | "fenced" } | Refused>;
  /**
   * Ids published on `artefact_events`, in batches, for as long as the signal allows. Lossy: hints
   * only.
   */
  artefactHints(signal: AbortSignal): AsyncIterable<string[]>;

  /**
   * Undefined when there is none, or it is not complete. Rejects with `artefact-malformed`, naming
   * the key, when a person has damaged it by hand.
   */
  readArtefact(id: ArtefactId): Promise<Artefact | undefined>;
  /**
   * The same, with the digest of its content as it was read, for a person's verdict. `sha256`: of
   * its record; undefined for one that a version has stored which named none.
   */
  readWithDigest(
    id: ArtefactId,
  ): Promise<{ artefact: Artefact; digest: string; sha256?: string } | undefined>;
  /**
   * The bytes whose SHA-256 the event of its creation names (docs/reference/proof.md), in base64: a
   * payload need not be UTF-8. Their salt is empty where that event names none. Undefined when
   * there is no such artefact, it is not complete, or its content was erased.
   */
  readRecord(id: ArtefactId): Promise<string | undefined>;
  /**
   * Returns what the command of this artefact has printed, by digest. Undefined where nothing
   * is on record of it.
   */
  readOutput(id: ArtefactId): Promise<KeptOutput | undefined>;
  /** In the order of the ids; what does not exist is left out. */
  readArtefacts(ids: readonly ArtefactId[]): Promise<Artefact[]>;
  /** The same without their payloads, which are not read. */
  readHeads(ids: readonly ArtefactId[]): Promise<StoredHead[]>;
  /**
   * Which of these artefacts are not what they were when the indexes took them in: written over by
   * hand, or removed. Their payloads are read for it. An id that no index knows is left out.
   * `maxPayloadBytes`: those with a larger payload are not looked at.
   */
  findOverwritten(ids: readonly ArtefactId[], limits?: LookLimits): Promise<ArtefactId[]>;
  /**
   * Reads the context of an agent's target, as it is now. `chain`
   * (docs/internals/blackboard.md#context-chain): from the target's sources and the additional ids,
   * each as the latest version of its thread, oldest first. `additional`: exactly these versions.
   * An artefact that does not exist is left out of both. Rejects with `context-too-large`, naming
   * the largest, where payloads and metadata have more than `maxBytes` (64 MiB), each artefact
   * counted once.
   */
  readContext(
    target: Artefact,
    additionalIds: readonly ArtefactId[],
    maxBytes?: number,
  ): Promise<{ chain: Artefact[]; additional: Artefact[] }>;
  /** All versions of a thread, version 1 first. */
  readThread(thread: LogicalId): Promise<ArtefactId[]>;
  /** Artefacts of all goals, oldest first. */
  listArtefacts(page: Page): Promise<ArtefactId[]>;
  countArtefacts(): Promise<number>;
  /** Lists the artefacts whose ids begin like this. */
  findArtefacts(start: string): Promise<ArtefactId[]>;
  /** Goals, oldest first: all, or those of one page. */
  listGoals(page?: Page): Promise<GoalId[]>;
  countGoals(): Promise<number>;
  /** Artefacts of a goal, oldest first: all, or those of one page. */
  listArtefactsOfGoal(goal: GoalId, page?: Page): Promise<ArtefactId[]>;
  /** Looks at all artefacts of the goal, without sending them. */
  readOutline(goal: GoalId): Promise<GoalOutline>;
  /**
   * The commits that artefacts have delivered (`metadata.commit`), the oldest first. The commit
   * that a goal starts from is not among them.
   */
  listCommits(): Promise<DeliveredCommit[]>;
  /** The commit at the tip of this lane; undefined before the first result lands there. */
  readLane(lane: LaneName): Promise<CommitHash | undefined>;
  /** The lanes onto which a result has landed, with their tips. */
  listLanes(): Promise<{ lane: LaneName; commit: CommitHash }[]>;
  /** The goal's flags. */
  readGoal(goal: GoalId): Promise<GoalRecord>;
  /**
   * Ends a goal: sets its flag first, so that nothing more is opened, granted or accepted for it,
   * and posts the Failure that explains it, if any. `already`: it was ended before.
   * `none`: nothing of it is there, since Redis has lost it or it was removed.
   */
  endGoal(order: {
    goal: GoalId;
    ending: GoalEnding;
    /** The actor who asked for it; undefined where the orchestrator itself ends the goal. */
    by?: Actor;
    failure?: Artefact;
    epoch: number;
    readOn?: ReadOn;
  }): Promise<{ outcome: "ended" | "already" | "none" | "fenced" }>;
}

/**
 * The number of the connection on which a person's request or an agent's message was read. On a
 * later one it is neither carried out nor refused, and rejects with `redis-unreachable`: Redis may
 * have lost it, or what came before it.
 */
export type ReadOn = number;

/** `count` entries of a list, from this place on; the first is 0. */
export type Page = { from: number; count: number };

export type LookLimits = { maxPayloadBytes?: number | undefined };

/**
 * `beginning`: the first thousand bytes of the payload where the artefact has no summary of its
 * own; empty where it has one.
 */
export type StoredHead = { head: ArtefactHead; payloadBytes: number; beginning: string };

/**
 * The artefacts on which a goal's state depends, oldest first, each with its claims by their
 * causes. Not named are those at rest: sound Standard artefacts and Reviews, no version of the
 * goal, whose claims have all ended, and were opened for nothing but the artefact itself. Some of
 * either kind are named all the same, where there are any. `artefacts` and `claims`: how many the
 * goal has.
 */
export type GoalOutline = {
  artefacts: number;
  claims: number;
  named: Map<ArtefactId, Map<string, ClaimId>>;
};

export type GoalEnding = "cancelled" | "artefact_limit";
/**
 * `artefacts`: how many the goal has. `trigger`: the name of the one that has stated it, if one
 * has. `payer`: in whose budgets it counts, which tells the person who has stated it. `issue`: the
 * address of the one at a forge for which a trigger has stated it. `comment`: what the service of
 * forges has put on record of its comment there, as JSON. `isMalformed`: a person has put a key of
 * another type there, and nothing is known of them.
 */
export type GoalRecord = {
  isMalformed?: true;
  ended: GoalEnding | undefined;
  /** An archive has all of it, and a part of it may be removed here. */
  archived?: ArchivedGoal | undefined;
  artefacts: number;
  trigger?: string | undefined;
  payer?: string | undefined;
  issue?: string | undefined;
  comment?: string | undefined;
};
