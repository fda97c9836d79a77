// Rules of who may do what: the orchestrator decides, people request, and each epoch has one
// orchestrator.
import type { EventType } from "../../../lib/model/event.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { ofType } from "./claim-log.ts";

export const actorRules: Rules = [
  ["duplicated", oneHolderHasEachEpoch],
  ["wrong", decisionsAreTheOrchestrators],
  ["wrong", requestsAreMadeByPeople],
  ["wrong", peopleSpeakOnlyWhereTheyAct],
];

const epochOf = (actor: string) => Number(/^orchestrator:(\d+)$/.exec(actor)?.[1] ?? Number.NaN);

function* oneHolderHasEachEpoch({ events }: History) {
  const started = ofType(events, "orchestrator_started");
  for (const { id, actor, data } of started)
    if (data?.epoch !== epochOf(actor) || !data.holder)
      yield `Event ${id}: ${data?.holder ?? "no holder"} began epoch ${data?.epoch} as ${actor}.`;
  for (const [epoch, { length }] of Map.groupBy(started, ({ data }) => data?.epoch))
    if (length > 1) yield `Epoch ${epoch} began ${length} times.`;
}

const decisions: readonly EventType[] = [
  ...([
    "claim_opened",
    "claim_announced",
    "bids_placed",
    "bid_imposed",
    "bidding_closed",
    "claim_completed",
    "claim_terminated",
  ] as const),
  ...([
    "grant_queued",
    "grant_retrying",
    "grant_cancelled",
    "goal_ended",
    "question_asked",
    "question_closed",
  ] as const),
  ...([
    "orchestrator_started",
    "instance_paused",
    "instance_resumed",
    "goal_paused",
    "goal_resumed",
    "request_refused",
    "event_given_up",
    "connections_ended",
    "mail_dropped",
  ] as const),
];

function* decisionsAreTheOrchestrators({ events }: History) {
  for (const { id, type, actor } of ofType(events, ...decisions))
    if (Number.isNaN(epochOf(actor))) yield `Event ${id} (${type}) was decided by ${actor}.`;
}

const requests: readonly EventType[] = [
  "cancel_requested",
  "pause_requested",
  "resume_requested",
  "retry_requested",
];

function* requestsAreMadeByPeople({ events }: History) {
  for (const { id, type, actor } of ofType(events, ...requests))
    if (!actor.startsWith("person:")) yield `Event ${id} (${type}) is a request of ${actor}.`;
}

const deeds: readonly EventType[] = [
  ...requests,
  ...([
    "artefact_created",
    "agent_registered",
    "agent_replaced",
    "agent_removed",
    "grant_done",
    "grant_waiting",
  ] as const),
  ...([
    "instance_started",
    "instance_stopped",
    "budget_raised",
    "goals_pruned",
    "artefact_erased",
  ] as const),
];

function* peopleSpeakOnlyWhereTheyAct({ events, artefacts }: History) {
  for (const { id, type, actor, artefact_id, agent } of events) {
    if (!actor?.startsWith("person:")) continue;
    if (!deeds.includes(type)) yield `Event ${id} (${type}) was made by ${actor}.`;
    const structural = artefacts.get(String(artefact_id))?.structural_type;
    const isVerdict = type === "grant_done" || type === "grant_waiting";
    if (isVerdict && structural !== "Review")
      yield `${actor} judged for ${agent} with ${artefact_id}.`;
    if (
      type === "artefact_created" &&
      !["Standard", "Answer", "Review", undefined].includes(structural)
    )
      yield `${actor} posted the ${structural} ${artefact_id}.`;
  }
}
