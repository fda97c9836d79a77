// Decides which events have no line of their own in a folded log, as in the terminal. Pure.
import { bidsOf } from "../../../lib/model/recorded-bids.ts";
import type { SettEvent } from "../data/contract.ts";

/** Bids of `ignore`, the ends of bidding, and calls of models and tools that went well. */
export function isFoldedAway(event: SettEvent): boolean {
  const { type, data = {} } = event;
  switch (type) {
    case "bids_placed":
      return bidsOf(event).every(({ word }) => word === "ignore");
    case "bid_placed":
      return data.word === "ignore" && data.reason === undefined;
    case "bidding_closed":
    case "claim_announced":
      return true;
    case "model_called":
    case "tool_called":
      return data.outcome === "ok";
    default:
      return false;
  }
}
