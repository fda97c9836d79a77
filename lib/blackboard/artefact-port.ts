// Artefacts and goals as the rest of Sett sees them. A part of the port.
import type { Artefact, ArtefactHead } from "../model/artefact.ts";
import type { Actor } from "../model/event.ts";
import type { ArtefactId, CommitHash, GoalId, LogicalId } from "../model/ids.ts";
import type { Refused } from "./refused.ts";

export interface ArtefactBoard {
  /**
   * Stores an artefact that comes from no grant (goals, answers, the orchestrator's own). Indexes, event and hint with it.
   * `exists`: the same id with the same content stands already (a repeat). Refused: id taken by other content, version taken in
   * the thread, goal ended.
   */
  createArtefact(artefact: Artefact, actor: Actor): Promise<{ outcome: "created" | "exists" } | Refused>;
  /**
   * Takes in an artefact that was written by hand (`HSET` + `PUBLISH`): fills in what is missing (thread, time, goal: its first
   * source's, else its own id), writes indexes and the `artefact_created` event (actor `hand`). With the `claim_id` of a claim in which its
   * `produced_by_agent` has a queued or running grant it ends that grant, which it fails as a Failure. `known`: it was in already.
   * `incomplete`: there is no such hash, or what it lacks (a field, a source that is not taken in) may still come; when it `isOverdue` that is
   * refused, too. Refused (once for each content, with an `artefact_refused` event): malformed,
   * colliding, or written over one that was in already, which nothing can put back; with a `result_refused` event: the result of no grant that is current.
   */
  adoptArtefact(
    id: ArtefactId,
    epoch: number,
    options?: { isOverdue?: boolean },
  ): Promise<{ outcome: "adopted" | "known" | "incomplete" | "fenced" } | Refused>;
  /** Hand-written artefacts that no index knows and that are not refused as they stand: the slow background scan (SCAN, never on a path that is waited for). */
  findUnindexedArtefacts(): Promise<ArtefactId[]>;
  /** Ids published on `artefact_events`, in batches, for as long as the signal allows. Lossy: hints only. */
  artefactHints(signal: AbortSignal): AsyncIterable<string[]>;

  /** Undefined when there is none, or it is not complete. Rejects with `artefact-malformed`, naming the key, when somebody has broken it by hand. */
  readArtefact(id: ArtefactId): Promise<Artefact | undefined>;
  /** The same, with the digest that names its content as it was read, for whoever judges it. */
  readWithDigest(id: ArtefactId): Promise<{ artefact: Artefact; digest: string } | undefined>;
  /** In the order asked for; what does not exist is left out. */
  readArtefacts(ids: readonly ArtefactId[]): Promise<Artefact[]>;
  /** The same without what they say: payloads stay where they are, whatever their size. */
  readHeads(ids: readonly ArtefactId[]): Promise<StoredHead[]>;
  /**
   * What an agent gets to read beside its target, as it stands now. `chain` (docs/internals/blackboard.md#context-chain): from the target's sources and the
   * additional ids, each as the latest version of its thread, oldest first. `additional`: exactly the versions that were asked for. What does not
   * exist is left out of both. Rejects with `context-too-large`, naming the largest, where payloads and metadata have more than `maxBytes`
   * (64 MiB), each artefact counted once.
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
  /** Those whose ids begin like this. */
  findArtefacts(start: string): Promise<ArtefactId[]>;
  /** Goals, oldest first: all, or those of one page. */
  listGoals(page?: Page): Promise<GoalId[]>;
  countGoals(): Promise<number>;
  /** Artefacts of a goal, oldest first: all, or those of one page. */
  listArtefactsOfGoal(goal: GoalId, page?: Page): Promise<ArtefactId[]>;
  /** What artefacts have delivered as commits (`metadata.commit`), the oldest first. What a goal starts from is none of it. */
  listCommits(): Promise<{ artefact: ArtefactId; commit: CommitHash }[]>;
  /** The goal's flags. */
  readGoal(goal: GoalId): Promise<GoalRecord>;
  /**
   * Ends a goal: sets its flag first, so that nothing more is opened, granted or accepted for it, and posts the Failure that
   * explains it, if any. `already`: it was ended before.
   */
  endGoal(order: {
    goal: GoalId;
    ending: GoalEnding;
    /** Who asked for it, if somebody did. */
    by?: Actor;
    failure?: Artefact;
    epoch: number;
  }): Promise<{ outcome: "ended" | "already" | "fenced" }>;
}

/** So many of a list, from this place on; the first is 0. */
export type Page = { from: number; count: number };

/**
 * `beginning`: about the first thousand characters of the payload where the artefact has no summary of its own; empty where it has one, and
 * where the payload is too large to be looked into (`maxInspectedLength`).
 */
export type StoredHead = { head: ArtefactHead; payloadBytes: number; beginning: string };

export const beginningLength = 1000;
export const maxInspectedLength = 64 * 1024;

export type GoalEnding = "cancelled" | "artefact_limit";
/** `artefacts` counts those of the goal. */
export type GoalRecord = { ended: GoalEnding | undefined; artefacts: number };
