// A claim as the API shows it.
import type { Situation } from "../../../lib/client/facts/blocked-reason.ts";
import { waitingJson } from "../../../lib/client/facts/status-json.ts";
import { phasesOf, stageOf } from "../../../lib/client/render/claim-phases.ts";
import { waitedForBy } from "../../../lib/core/goal-status.ts";
import { type ClaimSnapshot, type Grant, isEnded, questionOf } from "../../../lib/model/claim.ts";
import type { AgentName } from "../../../lib/model/ids.ts";

/** `reasons`: why agents have bid as they did, where their models have said it. */
export function claimView(
  snapshot: ClaimSnapshot,
  situation: Situation,
  reasons: ReadonlyMap<AgentName, string> = new Map(),
) {
  const { claim, grants } = snapshot;
  const {
    id,
    artefact_id,
    goal_id,
    kind,
    status,
    bidding,
    created_at,
    termination_reason,
    electorate,
    bids,
    stand_in,
    reviews_after,
  } = claim;
  return {
    ...{
      id,
      artefact_id,
      goal_id,
      kind,
      status,
      bidding,
      stage: stageOf(claim) ?? null,
      created_at,
      termination_reason,
    },
    ...(stand_in && { stand_in }),
    ...(reviews_after && { reviews_after }),
    electorate,
    bids: bids.map((bid) => {
      const reason = reasons.get(bid.agent);
      return reason === undefined ? bid : { ...bid, reason };
    }),
    phases: phasesOf(snapshot).map(({ phase, steps }) => ({
      phase,
      done: steps.filter(({ state }) => state === "done" || state === "rejected").length,
      of: steps.length,
      agents: steps,
    })),
    grants: grants.map(grantView),
    waiting_for: isEnded(status)
      ? []
      : waitedFor(snapshot).map((waiting) => waitingJson(waiting, situation)),
  };
}

/** Not the digest of its token. */
export function grantView(grant: Grant): Grant {
  if (!("model_token" in grant)) return grant;
  const { model_token: _, ...rest } = grant;
  return rest;
}

/** The questions of its grants, too, which a goal lists by themselves. */
function waitedFor(snapshot: ClaimSnapshot) {
  const questions = snapshot.grants.flatMap((grant) => {
    const question = questionOf(grant);
    return question === undefined || grant.state !== "waiting"
      ? []
      : [{ kind: "answer" as const, question, since: grant.started_at }];
  });
  return [...questions, ...waitedForBy(snapshot)];
}
