// Returns the events of a claim that is opened.
import { missingBidders, type StandIn } from "../../model/claim.ts";
import type { EventDraft } from "../../model/event.ts";
import { quorumData } from "../../model/quorum.ts";
import type { NewClaim } from "../port/claims.ts";

/** In order; the first is `claim_opened`. */
export function openingEvents({
  claim,
  cause,
  grants,
  first,
  basis,
}: NewClaim): [EventDraft, ...EventDraft[]] {
  const about = { goal_id: claim.goal_id, claim_id: claim.id, artefact_id: claim.artefact_id };
  const missing = missingBidders(claim).length;
  const standIn = claim.stand_in && standInData(claim.stand_in);
  const grantEvents = grants.flatMap(({ agent, phase, attempt, state, quorum }): EventDraft[] => {
    // A grant that is done already is another claim's.
    const type =
      state === "queued" ? "grant_queued" : state === "waiting" ? "grant_waiting" : undefined;
    return type === undefined
      ? []
      : [{ type, ...about, agent, data: { phase, attempt, ...quorumData(quorum), ...standIn } }];
  });
  return [
    { type: "claim_opened", ...about, data: { kind: claim.kind, cause, missing, ...basis } },
    ...(first ?? grantEvents),
  ];
}

function standInData(standIn: StandIn) {
  return { instead_of: standIn.for, because: standIn.because };
}
