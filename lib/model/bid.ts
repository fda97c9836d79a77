// Bids: an agent's word on a claim, and the rules that decide it.
import { z } from "zod";
import { BidPaths } from "./bid-path.ts";
import { AgentName } from "./ids.ts";
import { ofSame } from "./of-same.ts";

export const BidWord = z.enum(["review", "claim", "exclusive", "ignore"], {
  // Where it is no phase's name, the general sentence names all words.
  error: ({ input }) =>
    input === "parallel" ? "has no `parallel`: for the parallel phase write `claim`" : undefined,
});
export type BidWord = z.infer<typeof BidWord>;

/**
 * How an agent asks its model for a bid: so many tries within `tryMs`, which is the model's own
 * `timeout` where that is known, and before the second
 * one the first pause, which doubles with each try. Half of a pause is random. `heldPauseMs`: the
 * pause while a budget of a day or a month is used up, whose questions count as no tries.
 */
export const bidAsking = {
  tries: 3,
  tryMs: 30_000,
  firstPauseMs: 1_000,
  heldPauseMs: 15_000,
} as const;

/** For the way to the model and back. */
export const bidWayMs = 5_000;

/** The longest that asking takes of an agent whose registration does not say it. */
export const bidAskingMs = 3 * bidAsking.tryMs + 3 * bidAsking.firstPauseMs + bidWayMs;

/** A recorded bid. Bids are kept in the order of their arrival: it decides between equal ones. */
export const Bid = z.strictObject({ agent: AgentName, word: BidWord });
export type Bid = z.infer<typeof Bid>;

/** `agent` is asked for its review only when all of `after` have approved. No circle is in it. */
export const ReviewAfter = z.strictObject({ agent: AgentName, after: z.array(AgentName).min(1) });
export type ReviewAfter = z.infer<typeof ReviewAfter>;

/** Writes it as the event of a closing has it: `owner:compile,lint ada:compile`. */
export function textOfReviewsAfter(reviews: readonly ReviewAfter[]): string {
  return reviews.map(({ agent, after }) => `${agent}:${after.join(",")}`).join(" ");
}

/** Writes them as an event's data has them: `coder:exclusive tester:ignore`. */
export const textOfBids = ofSame((bids: readonly Bid[]) =>
  bids.map(({ agent, word }) => `${agent}:${word}`).join(" "),
);

/**
 * `on` matches the artefact's type and `from` its producer's role; `*` matches any run of
 * characters. `paths`: one of them matches a file that the artefact's whole change touches. For
 * `ignore`, each such file is matched by one of them.
 */
export const BidRule = z.strictObject({
  on: z.string().min(1).describe("The artefact's type; `*` matches any run of characters."),
  from: z
    .string()
    .min(1)
    .optional()
    .describe("The role of the artefact's producer; `*` matches any run of characters."),
  bid: BidWord.describe("The word to bid."),
  paths: BidPaths.optional().describe(
    "The rule matches only where the whole change, since the goal's commit, touches one of these: `infra/**`, `*.tf`. Where it is not known what a change touches, the rule matches. With `bid: ignore` it matches only where it is known that the change touches nothing else.",
  ),
  after: z
    .array(z.string().min(1))
    .min(1, { error: "must name an agent or a role, or be left out" })
    .max(100)
    .optional()
    .describe(
      "With `bid: review`: the agent is asked only when these, by name or role, have approved. Only those count that bid `review` on the same artefact.",
    ),
});
export type BidRule = z.infer<typeof BidRule>;
