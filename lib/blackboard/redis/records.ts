// Our shapes as the records that Lua functions get.
import type { Artefact } from "../../model/artefact.ts";
import type { Bid } from "../../model/bid.ts";
import { type Grant, missingBidders } from "../../model/claim.ts";
import type { Actor, EventDraft } from "../../model/event.ts";
import { ofSame } from "../../model/of-same.ts";
import type { NewClaim } from "../port/claims.ts";
import { digestOfContent, fieldsOfArtefact } from "../records/artefact-fields.ts";
import { newSeal } from "../records/artefact-record.ts";
import { leaderOf } from "../records/event-actor.ts";
import { openingEvents } from "../records/opening-events.ts";
import type { ArgumentOf } from "./call.ts";
import { fieldsOfClaim, textOfGrant } from "./claim-fields.ts";

export function artefactRecord(artefact: Artefact): ArgumentOf<"artefact"> {
  const fields = fieldsOfArtefact(artefact);
  return { ...fields, digest: digestOfContent(fields), ...newSeal(fields) };
}

export function grantRecord(grant: Grant): ArgumentOf<"grant"> {
  const { agent, state, attempt } = grant;
  return { agent, state, attempt, json: textOfGrant(grant) };
}

/** The text has the members in the order in which the functions write theirs. */
export function eventRecord(draft: EventDraft, actor: Actor): ArgumentOf<"event"> {
  const { type, goal_id, claim_id, artefact_id, agent, data } = draft;
  return { type, text: JSON.stringify({ actor, goal_id, claim_id, artefact_id, agent, data }) };
}

const namesAndWords = ofSame((bids: readonly Bid[]) =>
  JSON.stringify(bids.flatMap(({ agent, word }) => [agent, word])),
);

export function newClaimRecord(open: NewClaim, epoch: number): ArgumentOf<"new_claim"> {
  const { id, artefact_id, goal_id, status, bidding, bids } = open.claim;
  return {
    id,
    artefact_id,
    goal_id,
    cause: open.cause,
    status,
    bidding,
    asked: bidding === "open" ? missingBidders(open.claim) : [],
    fields: fieldsOfClaim(open),
    bids: namesAndWords(bids),
    grants: open.grants.map(grantRecord),
    events: openingEvents(open).map((event) => eventRecord(event, leaderOf(epoch))),
  };
}
