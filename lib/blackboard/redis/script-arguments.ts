// Our shapes as the flat words that the scripts take (lua/prelude*.lua say in which order).
import type { Artefact } from "../../model/artefact.ts";
import { missingBidders } from "../../model/claim.ts";
import type { EventDraft } from "../../model/event.ts";
import type { ArtefactId } from "../../model/ids.ts";
import { artefactFieldNames, digestOfContent, fieldsOfArtefact } from "../artefact-fields.ts";
import type { NewClaim } from "../port.ts";
import { standInFields } from "../stand-in-fields.ts";
import { fieldsOfClaim, textOfGrant } from "./claim-fields.ts";

/** A list, led by its length. */
export function listed<Item>(items: readonly Item[], wordsOf: (item: Item) => readonly string[]): string[] {
  return [String(items.length), ...items.flatMap(wordsOf)];
}

/** The fields, then the digest of the content. */
export function artefactWords(artefact: Artefact): string[] {
  const fields = fieldsOfArtefact(artefact);
  return [...artefactFieldNames.map((name) => fields[name]), digestOfContent(fields)];
}

/** A grant's end: the event, the members that take the place of its state, the reason. */
export function endingWords(endedAt: string, artefact: ArtefactId, failure: string | undefined, type?: string): string[] {
  const ended = { ended_at: endedAt, artefact_ids: [artefact], failure_type: type };
  if (failure === undefined) return ["grant_done", membersOf({ state: "done", ...ended }), ""];
  return ["grant_failed", membersOf({ state: "failed", ...ended, reason: failure }), JSON.stringify(failure)];
}

/** As JSON, without the braces around them. */
export function membersOf(object: Record<string, unknown>): string {
  return JSON.stringify(object).slice(1, -1);
}

export function newClaimWords(open: NewClaim): string[] {
  const { claim, cause, grants } = open;
  return [
    claim.id,
    claim.artefact_id,
    claim.goal_id,
    cause,
    claim.kind,
    claim.bidding,
    String(missingBidders(claim).length),
    claim.stand_in === undefined ? "" : `,${membersOf(standInFields(claim.stand_in))}`,
    ...listed(Object.entries(fieldsOfClaim(open)), (entry) => entry),
    ...listed(claim.bids, (bid) => [bid.agent, bid.word]),
    ...listed(grants, (grant) => [grant.agent, grant.state, String(grant.attempt), grant.phase, textOfGrant(grant)]),
  ];
}

export function eventWords(draft: EventDraft): string[] {
  return [
    draft.type,
    draft.goal_id ?? "",
    draft.claim_id ?? "",
    draft.artefact_id ?? "",
    draft.agent ?? "",
    draft.data === undefined ? "" : JSON.stringify(draft.data),
  ];
}
