// Rules for schedules in which only tools failed: each program does its part at once, and nothing
// needs to be repaired.
import { goalStatus } from "../../lib/core/goal-status.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { GoalId } from "../../lib/model/ids.ts";
import { factsOf } from "../chaos/goal-facts.ts";
import type { ClaimRecord, History } from "../chaos/history.ts";
import { claimLogsOf, ofType } from "../chaos/rules/claim-log.ts";
import type { Judged, ScheduleRules } from "./judge.ts";

export const calmRules: ScheduleRules = [
  ["wrong", oneOrchestratorLeadsAllTheTime],
  ["wrong", noAttemptIsLost],
  ["wrong", nothingIsGivenUp],
  ["wrong", noBidIsImposedOnThoseWhoSpeak],
  ["wrong", missingBidsAreImposedInTime],
  ["wrong", claimsAreAnnouncedOnce],
  ["lost", everyGoalWithoutFailuresIsAchieved],
  ["wrong", workBeginsAtOnce],
  ["wrong", decisionsAreMadeAtOnce],
];

/**
 * Longer than some messages on the slowest network, and much shorter than until a program looks by
 * itself.
 */
const atOnceMs = 1_500;

/** The longest lease of the instances that are played. */
const maxLeaseMs = 15_000;

const msOf = ({ id }: SettEvent) => Number.parseInt(id, 10);

function* oneOrchestratorLeadsAllTheTime({ events }: History) {
  const { length } = ofType(events, "orchestrator_started");
  if (length !== 1) yield `The lead was taken ${length} times.`;
}

const unusual = new Set([
  ...["AttemptLost", "AttemptDisrupted", "AgentRemoved", "AgentSilent", "ArtefactUnreadable"],
]);

function* noAttemptIsLost({ artefacts }: History) {
  for (const { id, type } of artefacts.values())
    if (unusual.has(type)) yield `Artefact ${id} (${type}) has no cause.`;
}

/** A result is late where another agent's failure has ended the claim. */
function* nothingIsGivenUp({ claims, events }: History) {
  for (const { id, type, data } of ofType(events, "event_given_up", "artefact_refused"))
    yield `Event ${id} (${type}): ${data?.reason}`;
  for (const { claim_id, agent, data } of ofType(events, "result_refused"))
    if (claims.get(String(claim_id))?.status !== "terminated")
      yield `A result of ${agent} on claim ${claim_id} was refused: ${data?.reason}`;
}

function* noBidIsImposedOnThoseWhoSpeak({ agents, events }: History, { policy }: Judged) {
  for (const { agent, claim_id } of policy.consensus === "full"
    ? ofType(events, "bid_imposed")
    : []) {
    const { external, human } = agents.get(String(agent)) ?? {};
    if (external !== true && human !== true)
      yield `A bid was imposed on ${agent} on claim ${claim_id}.`;
  }
}

/** At the deadline of the bids, once contact has lasted as long as any lease. */
function* missingBidsAreImposedInTime(history: History, { policy }: Judged) {
  const [started] = ofType(history.events, "orchestrator_started");
  const judgedFromMs = (started === undefined ? 0 : msOf(started)) + maxLeaseMs;
  for (const { claim, events } of claimLogsOf(history)) {
    const [opened] = ofType(events, "claim_opened");
    const dueMs = Math.max(
      judgedFromMs,
      (opened === undefined ? 0 : msOf(opened)) + policy.bid_deadline_ms,
    );
    for (const event of ofType(events, "bid_imposed"))
      if (msOf(event) > dueMs + atOnceMs)
        yield `The bid of ${event.agent} on claim ${claim.id} was imposed ${msOf(event) - dueMs} ms too late.`;
  }
}

function* claimsAreAnnouncedOnce(history: History) {
  for (const { claim, events } of claimLogsOf(history))
    if (isForRules(claim, history) && ofType(events, "claim_announced").length > 0)
      yield `Claim ${claim.id} was announced again, although every agent bids by rules.`;
}

/** No agent needs time to decide. */
function isForRules({ electorate }: ClaimRecord, { agents }: History): boolean {
  return electorate.every((name) => {
    const agent = agents.get(name);
    return (
      agent !== undefined &&
      agent.external !== true &&
      agent.bids_by_command !== true &&
      agent.bids.length > 0
    );
  });
}

function* everyGoalWithoutFailuresIsAchieved(history: History) {
  const failed = new Set(
    [...history.artefacts.values()].flatMap(({ structural_type, goal_id }) =>
      structural_type === "Failure" ? [goal_id] : [],
    ),
  );
  for (const goal of history.goals.keys() as Iterable<GoalId>) {
    const { state } = goalStatus(factsOf(history, goal));
    if (!failed.has(goal) && state !== "achieved")
      yield `Goal ${goal} is ${state}, and nothing has failed.`;
  }
}

/** An agent takes up its next grant when it has ended the one before. */
function* workBeginsAtOnce({ events }: History) {
  const freeSince = new Map<string, number>();
  const running = new Map<string, number>();
  const queuedAt = new Map<string, number>();
  for (const event of events) {
    const agent = String(event.agent);
    const grant = `${event.claim_id} ${agent} ${event.data?.attempt}`;
    if (event.type === "grant_queued") queuedAt.set(grant, msOf(event));
    if (event.type === "grant_started") {
      const since = Math.max(queuedAt.get(grant) ?? 0, freeSince.get(agent) ?? 0);
      const isFree = (running.get(agent) ?? 0) === 0;
      if (isFree && msOf(event) - since > atOnceMs)
        yield `${agent} was free and began its work on claim ${event.claim_id} after ${msOf(event) - since} ms.`;
      running.set(agent, (running.get(agent) ?? 0) + 1);
    }
    if (["grant_done", "grant_failed", "grant_waiting", "result_refused"].includes(event.type)) {
      running.set(agent, Math.max(0, (running.get(agent) ?? 0) - 1));
      freeSince.set(agent, msOf(event));
    }
    // The tool of a cancelled grant is stopped, which no event says.
    if (event.type === "grant_cancelled") {
      running.set(agent, 0);
      freeSince.set(agent, msOf(event) + 10_000);
    }
  }
}

/** The last bid and the last result of a phase are followed by what comes of them. */
function* decisionsAreMadeAtOnce(history: History) {
  for (const { claim, events } of claimLogsOf(history))
    for (const [index, event] of events.entries()) {
      const isDecided =
        event.type === "bid_placed" || event.type === "bids_placed"
          ? event.data?.missing === 0
          : event.type === "grant_done" && isLast(events, index);
      const next = events[index + 1];
      if (isDecided && next !== undefined && msOf(next) - msOf(event) > atOnceMs)
        yield `After ${event.type} of ${event.agent} claim ${claim.id} waited for ${msOf(next) - msOf(event)} ms.`;
    }
}

/** No other grant of the claim is under way. */
function isLast(events: readonly SettEvent[], at: number): boolean {
  const open = new Set<string>();
  for (const { type, agent } of events.slice(0, at + 1)) {
    if (type === "grant_queued" || type === "grant_waiting" || type === "grant_retrying")
      open.add(String(agent));
    if (type === "grant_done" || type === "grant_cancelled") open.delete(String(agent));
  }
  return open.size === 0;
}
