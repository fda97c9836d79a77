// Bids as the log has them. Without zod, which is too large for the page.
import type { Bid, BidWord, ReviewAfter } from "./bid.ts";
import type { SettEvent } from "./event.ts";
import type { AgentName } from "./ids.ts";

const words: readonly string[] = ["review", "claim", "exclusive", "ignore"] satisfies BidWord[];
const namePattern = /^[a-z0-9-]{1,40}$/;

/**
 * The bids in a text of an event's data, as `textOfBids` makes it; what is no bid in it is left
 * out.
 */
export function bidsInText(text: string): Bid[] {
  return text.split(" ").flatMap((pair) => {
    const [agent = "", word = ""] = pair.split(":");
    return bid(agent, word);
  });
}

/** The bids that an event puts on record: none, one, or those that were given in advance. */
export function bidsOf({ type, agent, data }: Pick<SettEvent, "type" | "agent" | "data">): Bid[] {
  if (type === "bids_placed") return bidsInText(String(data?.bids ?? ""));
  if (type !== "bid_placed" && type !== "bid_imposed") return [];
  return bid(agent ?? "", String(data?.word ?? ""));
}

function bid(agent: string, word: string): Bid[] {
  if (!namePattern.test(agent) || !words.includes(word)) return [];
  return [{ agent: agent as AgentName, word: word as BidWord }];
}

/** The reviewers that wait for others, as the event of a closing has them. */
export function reviewsAfterOf({ type, data }: Pick<SettEvent, "type" | "data">): ReviewAfter[] {
  if (type !== "bidding_closed" || data?.after === undefined) return [];
  return String(data.after)
    .split(" ")
    .flatMap((pair) => {
      const [agent = "", names = ""] = pair.split(":");
      const after = names.split(",").filter((name) => namePattern.test(name)) as AgentName[];
      return namePattern.test(agent) && after.length > 0
        ? [{ agent: agent as AgentName, after }]
        : [];
    });
}
