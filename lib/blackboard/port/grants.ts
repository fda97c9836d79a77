// Grants: the right of an agent to work, from its wake-up to its result. A part of the port. `host`
// is where the agent runs, which its events name.
import type { Artefact } from "../../model/artefact.ts";
import type { Claim, Grant, RunningGrant } from "../../model/claim.ts";
import type { AgentName, ArtefactId, ClaimId, CommitHash } from "../../model/ids.ts";
import type { Digest, KeptOutput } from "../../model/kept-output.ts";
import type { FileCount } from "../../model/preparing.ts";
import type { ReadOn } from "./artefacts.ts";
import type { ClaimBoard, ClaimCommit } from "./claims.ts";
import type { Refused } from "./refused.ts";

/**
 * The result of a run of an agent's command. The runner chooses the ids before the first try, so
 * that a repeat is known as one. `output`: what the command has printed beside it. `stdin`: the
 * digest of what it was given. `remarks`: what people have said while it ran, as it was passed on.
 */
export type GrantResult = {
  output?: KeptOutput;
  stdin?: Digest;
  remarks?: ArtefactId[];
} /** `pieces`: where the artefact is a list; they are stored with it, or it is not. */ & (
  | { outcome: "done"; artefact: Artefact; pieces?: Artefact[] }
  /**
   * `artefact` is the Question; the grant waits for its answer. `base`: the commit at which its
   * next attempt begins, where it is another one.
   */
  | { outcome: "asked"; artefact: Artefact; base?: CommitHash }
  /**
   * `artefact` is the Failure. `failureType`: its type, where the command itself did not report it,
   * or where no attempt follows it.
   */
  | { outcome: "failed"; artefact: Artefact; reason: string; failureType?: string }
);

/**
 * The message that asks for it, and goes in the same step. `isQuiet`: it is not answered, but where
 * it is refused.
 */
export type AppliedMail = { place: string; id: string; isQuiet: boolean };

/** The commit that was asked for, together with the result: as by itself. */
export type CommittedWith = Awaited<ReturnType<ClaimBoard["commitClaim"]>> | Refused;

/** The claim of a grant, as the work on it needs it. */
export type ClaimOfWork = Pick<
  Claim,
  "id" | "artefact_id" | "goal_id" | "kind" | "additional_context_ids" | "pieces"
>;

/** The needs of the work on a queued grant. */
export type WorkToDo = {
  claim: ClaimOfWork;
  grant: Grant;
  /** Results of earlier phases of the same claim. */
  earlier: ArtefactId[];
  /**
   * The artefacts that it gets beside its target, each once: as its start names them where the
   * grant was taken.
   */
  contextIds: ArtefactId[];
  /** Or a sentence, where a person has damaged one of them. `chain`: oldest first. */
  inputs: { ok: true; value: WorkInputs } | { ok: false; reason: string };
};

export type WorkInputs = { target: Artefact; chain: Artefact[]; additional: Artefact[] };

/** How a run says that it has begun, without what is not known before. */
export type RunBegun = { id: string; mayTake: boolean; saidBefore: string; saidAfter: string };

export type ClaimOfGrant = Pick<Claim, "id" | "artefact_id" | "goal_id" | "kind">;

export interface GrantBoard {
  /**
   * Claims in which the agent may have a queued grant: hints, in order. First those that are queued
   * now, then new ones; what stays queued comes again every 15 s (`remindEveryMs`), because a hint
   * may be lost. At most `atOnce` new ones come together, where others of the agent take the rest.
   * Ends with the signal.
   */
  followGrants(
    agent: AgentName,
    signal: AbortSignal,
    remindEveryMs?: number,
    atOnce?: number,
  ): AsyncIterable<ClaimId[]>;
  /**
   * An agent's grant, and what its claim is about: also of a claim whose other fields a person has
   * damaged.
   */
  readGrant(
    claim: ClaimId,
    agent: AgentName,
  ): Promise<{ claim: ClaimOfGrant; grant: Grant } | undefined>;
  /**
   * The agent itself takes a queued grant, so that no other of its runs does, and sends the message
   * that says so. Safe to repeat. Refused: it is not, or no longer, queued with this attempt and
   * `queued_at`, another run has taken it, or the instance is paused.
   */
  takeGrant(order: {
    claim: ClaimId;
    agent: AgentName;
    attempt: number;
    queued_at: string;
    /** Names the run. */
    run: string;
    message: { id: string; text: string };
  }): Promise<{ outcome: "taken" } | Refused>;
  /**
   * Reads the needs of the agent's queued grant. Where nothing more has to be known for it and
   * `mayTake` is set, the agent takes the grant in the same step, as by `takeGrant`: `taken`, and
   * otherwise `read`. Safe to repeat with the same `run`. `none`: there is no queued grant.
   * `apart`: what it needs is large or damaged, and is to be read by itself.
   */
  beginWork(order: {
    claim: ClaimId;
    agent: AgentName;
    run: string;
    message: RunBegun;
    maxBytes?: number | undefined;
    readOn?: ReadOn;
  }): Promise<
    | ({ outcome: "taken" | "read" } & WorkToDo)
    | { outcome: "none" }
    | { outcome: "apart" }
    | Refused
  >;
  /**
   * Starts a grant: it must be queued with this attempt and `queued_at`, its claim open and its
   * goal not ended. Writes `grant` (now running) and its lease. A paused instance must have had the
   * grant taken before.
   */
  acceptGrant(order: {
    claim: ClaimId;
    grant: RunningGrant;
    leaseMs: number;
    host?: string | undefined;
    mail?: AppliedMail;
    readOn?: ReadOn;
  }): Promise<{ outcome: "accepted" } | Refused>;
  /** Refused: the attempt is no longer current (cancelled, lapsed, its claim or goal ended). */
  renewLease(order: {
    claim: ClaimId;
    agent: AgentName;
    attempt: number;
    leaseMs: number;
    readOn?: ReadOn;
  }): Promise<{ outcome: "renewed" } | Refused>;
  /**
   * Notes how far the workspace of a queued or running grant is, for people, until it is over.
   * `listStatuses` has it. Refused: the attempt is no longer current.
   */
  notePreparing(order: {
    claim: ClaimId;
    agent: AgentName;
    attempt: number;
    progress: FileCount | "over";
  }): Promise<{ outcome: "noted" } | Refused>;
  /**
   * Stores the result and writes the grant that ends with it. `grant`: as it was accepted. Refused
   * (with a `result_refused` event): the attempt is no longer current, Redis has lost an artefact
   * that the result was made from (`data.source`), or one of its sources is of another goal.
   * Refused without one: the attempt has not started yet. `id_taken`: another artefact on record
   * has the id, and nothing is written. `start`: the grant is started in the same step, before;
   * `not_started`: that is refused, and the result is not looked at. `commit`: what the result
   * decides about its claim, committed in the same step, after. `isUnlogged`: the refusal of what
   * came too late has no event, and is not remembered.
   */
  finishGrant(order: {
    claim: ClaimId;
    grant: RunningGrant;
    endedAt: string;
    result: GrantResult;
    host?: string | undefined;
    mail?: AppliedMail;
    readOn?: ReadOn;
    start?: { leaseMs: number };
    commit?: ClaimCommit;
    isUnlogged?: boolean;
  }): Promise<
    | { outcome: "finished"; commit?: CommittedWith }
    | { outcome: "not_started" | "id_taken"; reason: string }
    | Refused
  >;
}
