// The append-only log of everything that happened in an instance.
import { z } from "zod";
import { AgentName, ArtefactId, ClaimId, GoalId } from "./ids.ts";

export const EventType = z.enum([
  "instance_started",
  "instance_stopped",
  "agent_registered",
  "agent_removed",
  "orchestrator_started",
  "artefact_created",
  "artefact_refused",
  "claim_opened",
  "claim_announced",
  "bid_placed",
  "bid_imposed",
  "bid_refused",
  "bidding_closed",
  "grant_queued",
  "grant_started",
  "grant_done",
  "grant_failed",
  "grant_retrying",
  "grant_waiting",
  "grant_cancelled",
  "result_refused",
  "claim_completed",
  "claim_terminated",
  "goal_ended",
]);
export type EventType = z.infer<typeof EventType>;

/** Who did it: `agent:coder`, `orchestrator:3` (its epoch), `person:Ada Lovelace`, `hand` (plain Redis commands). */
export const Actor = z.string().regex(/^(?:agent:.+|orchestrator:\d+|person:.+|hand)$/);
export type Actor = z.infer<typeof Actor>;

const subject = {
  goal_id: GoalId.optional(),
  claim_id: ClaimId.optional(),
  artefact_id: ArtefactId.optional(),
  agent: AgentName.optional(),
};

/** An event before it is written. `data` is small and flat; its names depend on the type. */
export const EventDraft = z.strictObject({
  type: EventType,
  ...subject,
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type EventDraft = z.infer<typeof EventDraft>;

/** An event of the log. `id` is the stream's id; `time` (ISO 8601) is Redis' clock, taken from it. */
export const SettEvent = EventDraft.extend({ id: z.string(), time: z.iso.datetime(), actor: Actor });
export type SettEvent = z.infer<typeof SettEvent>;
