// The append-only log of everything that happened in an instance.
import { z } from "zod";
import { AgentName, ArtefactId, ClaimId, GoalId } from "./ids.ts";

export const EventType = z.enum([
  "instance_started",
  "instance_stopped",
  "agent_registered",
  "agent_replaced",
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
  /** A question was put to people, or is closed without an answer. */
  "question_asked",
  "question_closed",
  /** What people ask of the orchestrator. */
  "cancel_requested",
  "pause_requested",
  "resume_requested",
  "retry_requested",
  "request_refused",
  "instance_paused",
  "instance_resumed",
  /** Goals that were over are in a file now, and no longer here. */
  "goals_pruned",
  /** The orchestrator could not handle an event, has tried often enough, and goes on without it. */
  "event_given_up",
  /** Never written: what stands for an entry of the log that this program cannot read. */
  "unreadable",
]);
export type EventType = z.infer<typeof EventType>;

/**
 * Who did it: `agent:coder@3f2a9c1b7d20` (where it runs: a container's host name is its id), `orchestrator:3` (its epoch),
 * `person:Ada Lovelace <ada@example.org>`, `hand` (plain Redis commands).
 */
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
