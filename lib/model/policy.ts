// The rules of one instance by which the orchestrator decides; from the top level of sett.yml.
import { z } from "zod";

export const Policy = z.strictObject({
  consensus: z.enum(["full", "first_bid"]),
  clarification: z.enum(["human", "tiered"]),
  /** How many reworks one thread gets before another rejection is a Failure. */
  review_rounds: z.int().min(0),
  artefacts_per_goal: z.int().min(1),
  bid_deadline_ms: z.int().min(1),
  /** How many workers all agents together may have; undefined: as many as their replicas. */
  workers: z.int().min(1).optional(),
  /** How long events of no goal are kept; undefined: for ever. */
  other_events_ms: z.int().min(1).optional(),
  /** A notary seals the log: events that it has not sealed stay. */
  sealed: z.literal(true).optional(),
  /** Nothing new begins while the notary seals nothing. */
  proof_required: z.literal(true).optional(),
});
export type Policy = z.infer<typeof Policy>;

export const defaultPolicy: Policy = {
  consensus: "full",
  clarification: "human",
  review_rounds: 3,
  artefacts_per_goal: 500,
  bid_deadline_ms: 30_000,
};
