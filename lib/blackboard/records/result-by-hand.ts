// A result that was written by hand: whether it can end the grant that it names, and what becomes
// of that grant.
import type { ArtefactHead } from "../../model/artefact.ts";
import type { Grant } from "../../model/claim.ts";
import type { EventDraft } from "../../model/event.ts";
import { phaseTable } from "../../model/phase.ts";
import type { ClaimOfGrant } from "../port/grants.ts";
import type { ArtefactFields } from "./artefact-fields.ts";

/** A grant that a result can end. A person who works by hand need not accept it first. */
export type UnfinishedGrant = Extract<Grant, { state: "queued" | "running" }>;

/**
 * `started`: the event that comes first where the grant was only queued, because the log shows what
 * every grant goes through.
 */
export type EndedByHand = { grant: Grant; started: EventDraft | undefined; ended: EventDraft };

/**
 * Why the artefact cannot be the result of this grant; undefined when it can. `target`: the claim's
 * artefact.
 */
export function resultProblem(
  artefact: ArtefactHead,
  claim: Omit<ClaimOfGrant, "id">,
  { phase }: Pick<Grant, "phase">,
  target: Partial<Pick<ArtefactFields, "logical_id">> = {},
): string | undefined {
  const { structural_type, goal_id, logical_id } = artefact;
  if (goal_id !== claim.goal_id)
    return `The claim is of goal ${claim.goal_id}: name its artefact ${claim.artefact_id} first in source_artefacts.`;
  if (structural_type === "Question" || structural_type === "Answer")
    return "A grant ends with a result, not with a Question or an Answer.";
  if (phase === "review" && structural_type !== "Review" && structural_type !== "Failure")
    return "A review ends with a Review, or with a Failure.";
  if (claim.kind === "rework" && structural_type !== "Failure" && logical_id !== target.logical_id)
    return `A rework ends with a Failure, or with the next version of thread ${target.logical_id}.`;
  if (phase !== "review" && structural_type === "Review")
    return `A Review ends a review, and this grant is for a bid of ${phaseTable[phase].bid}: bid review on what is to be judged.`;
  return undefined;
}

/** `at`: ISO 8601. A queued grant is taken as accepted at that moment, with no context. */
export function endByHand(
  claim: ClaimOfGrant,
  grant: UnfinishedGrant,
  artefact: ArtefactHead,
  at: string,
): EndedByHand {
  const { agent, phase, attempt } = grant;
  const about = { goal_id: claim.goal_id, claim_id: claim.id, agent };
  const data = { phase, attempt };
  const running = grant.state === "running" ? grant : { ...grant, started_at: at, context_ids: [] };
  const ended = { ...running, ended_at: at, artefact_ids: [artefact.id] };
  const started: EventDraft = {
    type: "grant_started",
    ...about,
    artefact_id: claim.artefact_id,
    data,
  };
  const before = { started: grant.state === "queued" ? started : undefined };
  const reason = failureReason(artefact);
  if (reason === undefined) {
    const event: EventDraft = { type: "grant_done", ...about, artefact_id: artefact.id, data };
    return { ...before, grant: { ...ended, state: "done" }, ended: event };
  }
  const event: EventDraft = {
    type: "grant_failed",
    ...about,
    artefact_id: artefact.id,
    data: { ...data, reason },
  };
  return { ...before, grant: { ...ended, state: "failed", reason }, ended: event };
}

/** Why the grant has failed; undefined where the artefact is no Failure. */
function failureReason({ structural_type, metadata, type }: ArtefactHead): string | undefined {
  return structural_type === "Failure" ? metadata.summary || type : undefined;
}
