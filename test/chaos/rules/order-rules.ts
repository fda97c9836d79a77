// The order of a claim's events, and what they count.

import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import { bidsOf } from "../../../lib/model/recorded-bids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { claimLogsOf, ofType } from "./claim-log.ts";

export const orderRules: Rules = [
  ["wrong", theLogIsInOrder],
  ["wrong", claimsBeginWithTheirOpening],
  ["duplicated", biddingClosesOnce],
  ["wrong", noBidComesAfterTheClosing],
  ["wrong", nothingIsGrantedBeforeTheClosing],
  ["wrong", missingBidsAreCounted],
  ["wrong", eventsAgreeWithTheirClaim],
];

function* theLogIsInOrder({ events }: History) {
  let last = "0-0";
  for (const { id, type } of events) {
    if (!isLater(id, last)) yield `Event ${id} (${type}) comes after event ${last}.`;
    last = id;
  }
}

function* claimsBeginWithTheirOpening(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    const [first] = events;
    if (first !== undefined && first.type !== "claim_opened")
      yield `Claim ${claim.id} begins with ${first.type} in the log.`;
  }
}

function* biddingClosesOnce(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    const { length } = ofType(events, "bidding_closed");
    if (length > (claim.kind === "standard" ? 1 : 0))
      yield `The bidding on the ${claim.kind} claim ${claim.id} closed ${length} times.`;
  }
}

const bidTypes: readonly EventType[] = [
  "bids_placed",
  "bid_placed",
  "bid_imposed",
  "claim_announced",
];

function* noBidComesAfterTheClosing(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    const closed = events.findIndex(
      ({ type }) => type === "bidding_closed" || type === "claim_terminated",
    );
    const late = closed < 0 ? [] : ofType(events.slice(closed), ...bidTypes);
    for (const { type, agent } of late)
      yield `${type} of ${agent} on claim ${claim.id} comes after its bidding had closed.`;
  }
}

function* nothingIsGrantedBeforeTheClosing(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    if (claim.kind !== "standard") continue;
    const closed = events.findIndex(({ type }) => type === "bidding_closed");
    const early = events
      .slice(0, closed < 0 ? events.length : closed)
      .find(({ type }) => type.startsWith("grant_"));
    if (early !== undefined)
      yield `${early.type} of ${early.agent} on claim ${claim.id} comes before its bidding had closed.`;
  }
}

/**
 * After each bid, the log counts those of the electorate who have not bid yet. The opening counts
 * the bids that were placed with it.
 */
function* missingBidsAreCounted(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    if (claim.kind !== "standard") continue;
    let missing = claim.electorate.length;
    const [, ...after] = events;
    const next = after.findIndex(({ type }) => type !== "bids_placed" && type !== "bid_imposed");
    const fewest = missing - (next < 0 ? after : after.slice(0, next)).flatMap(bidsOf).length;
    for (const event of ofType(
      events,
      "claim_opened",
      "bids_placed",
      "bid_placed",
      "bid_imposed",
    )) {
      const { type, agent, data } = event;
      missing -= bidsOf(event).length;
      const logged = Number(data?.missing);
      const isCounted =
        type === "claim_opened" ? fewest <= logged && logged <= missing : logged === missing;
      if (type !== "bid_imposed" && !isCounted)
        yield `After ${type} of ${agent ?? "the orchestrator"} claim ${claim.id} lacked ${missing} bids; by the log: ${logged}.`;
    }
  }
}

/** The others name what came of the work. */
const aboutTheTarget: readonly EventType[] = [
  ...[
    "claim_opened",
    "claim_announced",
    "bids_placed",
    "bid_placed",
    "bid_imposed",
    "bidding_closed",
  ],
  ...[
    "grant_queued",
    "grant_started",
    "grant_retrying",
    "grant_cancelled",
    "claim_completed",
    "claim_terminated",
  ],
] as EventType[];

function* eventsAgreeWithTheirClaim({ claims, events }: History) {
  for (const event of events) {
    const claim = claims.get(String(event.claim_id));
    if (claim === undefined) continue;
    const isOfGoal = event.goal_id === undefined || event.goal_id === claim.goal_id;
    const isOfTarget =
      !aboutTheTarget.includes(event.type) || event.artefact_id === claim.artefact_id;
    if (!isOfGoal || !isOfTarget)
      yield `${nameOf(event)} is about another goal or artefact than its claim ${claim.id}.`;
  }
}

function nameOf({ id, type }: SettEvent): string {
  return `Event ${id} (${type})`;
}
