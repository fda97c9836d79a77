// Finds out, from the blackboard, why an agent has not acted yet although a goal waits for it.

import type { Memory } from "../../blackboard/port/blackboard.ts";
import type { Pause } from "../../blackboard/port/people.ts";
import type { Waiting } from "../../core/goal-status.ts";
import { countedApprovals } from "../../core/quorum.ts";
import type { BlockedReason, Liveness } from "../../core/waiting-reason.ts";
import {
  type AgentRegistration,
  type AgentState,
  type AgentStatus,
  needsWorkers,
  type RegisteredAgent,
  type ReportedStatus,
  worksItself,
} from "../../model/agent.ts";
import type { ClaimSnapshot, MalformedClaim } from "../../model/claim.ts";
import type { AgentName, ClaimId, GoalId } from "../../model/ids.ts";
import { silentAfterMs } from "../../model/leases.ts";
import type { NoticeProblem } from "../../model/notify.ts";
import type { Hold } from "../../model/spending.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { Suggest } from "../text/suggest.ts";
import { kindOf } from "./agent-kind.ts";

/** `problem`: a sentence, where Redis refuses writes. */
export type Store = Memory & { problem: string | undefined };

/** The state of an instance, read at about one moment. */
export type Situation = {
  /** Makes advice to type a command. */
  suggest: Suggest;
  /** Redis TIME, Unix milliseconds. */
  nowMs: number;
  agents: readonly RegisteredAgent[];
  statuses: ReadonlyMap<AgentName, ReportedStatus>;
  leader: { holder: string; epoch: number; expiresInMs: number } | undefined;
  /** Since when (ISO 8601) and by whom the instance is paused, if it is. */
  pause: Pause | undefined;
  /** The goals that are paused by themselves. */
  pausedGoals?: ReadonlyMap<GoalId, Pause>;
  /** Whose new work does not begin, because a budget of a day or a month is used up. */
  holds?: readonly Hold[];
  /** Every open claim of the instance. */
  open: readonly ClaimSnapshot[];
  /** The state of Redis. */
  store?: Store;
  /** Open claims that cannot be read. */
  malformed?: readonly MalformedClaim[];
  /** Webhooks that could not be notified. */
  noticeProblems?: readonly NoticeProblem[];
};

/**
 * Undefined where the goal waits for no agent and neither it nor the instance is paused, and where
 * a worker does the work: workers send no heartbeat.
 */
export function blockedReasonOf(waiting: Waiting, situation: Situation): BlockedReason | undefined {
  if (situation.pause !== undefined && isHeldByPause(waiting))
    return { reason: "paused", ...situation.pause };
  // What is granted meanwhile waits until an agent may take it.
  const ofGoal = waiting.kind === "start" ? pauseOfGoal(waiting, situation) : undefined;
  if (ofGoal !== undefined) return { reason: "goal_paused", ...ofGoal };
  if (!("agent" in waiting) || waiting.kind === "turn") return undefined;
  const begins = waiting.kind === "work" || waiting.kind === "start";
  const preparing = begins ? preparingFor(waiting, situation) : undefined;
  if (preparing !== undefined) return preparing;
  const agent = situation.agents.find(({ name }) => name === waiting.agent);
  if (agent === undefined) return { reason: "unregistered" };
  const isByWorker = !worksItself(agent) && begins;
  const own = livenessOf(agent, situation);
  // Its workers have the same secrets and limits as the agent's own container.
  if (own.reason === "alive" && takesNoWork(own.state)) return own;
  const liveness = isByWorker ? undefined : own;
  if (
    liveness?.reason === "silent" ||
    liveness?.reason === "unreadable" ||
    waiting.kind !== "start"
  )
    return liveness;
  return (
    busyWith(agent, waiting.claim, situation.open) ??
    (isByWorker ? startOfWorker(agent, situation) : liveness)
  );
}

/** Of workers nothing is known but the grants that run: one that starts or rests has none. */
function startOfWorker(
  { instance_workers: most }: AgentRegistration,
  { agents, holds = [], open }: Situation,
): BlockedReason | undefined {
  // Whether it is this goal that is held another part of the status says.
  if (holds.length > 0) return undefined;
  const scalable = agents.filter((agent) => !worksItself(agent));
  const workers = scalable.reduce((sum, { name }) => sum + runningOf(name, open).length, 0);
  if (most !== undefined && workers >= most) return { reason: "full", workers };
  return { reason: "starting" };
}

/** How far the workspace is for the work that is waited for, as it was noted lately. */
function preparingFor(
  { agent, claim }: Extract<Waiting, { kind: "work" | "start" }>,
  { statuses, nowMs }: Situation,
): BlockedReason | undefined {
  const note = statuses.get(agent)?.preparing?.find((each) => each.claim === claim);
  if (note === undefined || nowMs - note.at > silentAfterMs) return undefined;
  return { reason: "preparing", files: note.files, of: note.of };
}

function pauseOfGoal(
  waiting: Waiting,
  { pausedGoals, open }: Pick<Situation, "pausedGoals" | "open">,
): Pause | undefined {
  if (pausedGoals === undefined || pausedGoals.size === 0 || !("claim" in waiting))
    return undefined;
  const goal = open.find(({ claim }) => claim.id === waiting.claim)?.claim.goal_id;
  return goal === undefined ? undefined : pausedGoals.get(goal);
}

/**
 * While the instance is paused, no work is granted or accepted. Bids, running work, answers and
 * approvals go on.
 */
function isHeldByPause({ kind }: Waiting): boolean {
  return kind === "start" || kind === "retry" || kind === "decision";
}

/** Whether the agent may never act. */
export function isAbsent(why: BlockedReason | undefined): boolean {
  return why?.reason === "unregistered" || why?.reason === "unreadable" || why?.reason === "silent";
}

/** Whether an agent sends its heartbeat. */
export function livenessOf(agent: RegisteredAgent, situation: Situation): Liveness {
  const { statuses, nowMs } = situation;
  const kind = kindOf(agent);
  if (kind !== undefined) return { reason: kind };
  if (agent.unreadable !== undefined)
    return { reason: "unreadable", problem: agent.unreadable.problem };
  const last = statuses.get(agent.name);
  if (last === undefined) return { reason: "silent", last_heard: null };
  const last_heard = new Date(last.at).toISOString();
  if (nowMs - last.at > silentAfterMs) return { reason: "silent", last_heard };
  const more = withoutUndefined({ problem: last.problem });
  return { reason: "alive", state: stateOf(agent, last, situation), last_heard, ...more };
}

/** Until a person has done something. */
export function takesNoWork(state: AgentState): boolean {
  return state === "no_secrets" || state === "unconfined";
}

/**
 * The state of its heartbeat, corrected by its grants: a heartbeat is some seconds old, and does
 * not count workers.
 */
export function stateOf(
  agent: AgentRegistration,
  last: AgentStatus,
  situation: Situation,
): AgentState {
  return last.state === "idle" && claimsOf(agent, situation).length > 0 ? "working" : last.state;
}

/**
 * The claims on which it works, the longest-running first: from its grants, else from its
 * heartbeat.
 */
export function claimsOf({ name }: AgentRegistration, { open, statuses }: Situation): ClaimId[] {
  const running = runningOf(name, open).map(({ id }) => id);
  const last = statuses.get(name);
  return running.length > 0 || last?.claim_id === undefined ? running : [last.claim_id];
}

/**
 * How many workers an agent may have, and the claims of those that run; undefined for an agent
 * without workers.
 */
export function workersOf(
  agent: AgentRegistration,
  { open }: Situation,
): { max: number; claims: ClaimId[] } | undefined {
  const { name, replicas } = agent;
  if (!needsWorkers(agent)) return undefined;
  return { max: replicas, claims: runningOf(name, open).map(({ id }) => id) };
}

/** An agent works on one grant at a time, an agent with replicas on as many as it has replicas. */
function busyWith(
  { name, replicas }: AgentRegistration,
  own: ClaimId,
  open: readonly ClaimSnapshot[],
): BlockedReason | undefined {
  const running = runningOf(name, open).filter(({ id }) => id !== own);
  const [first] = running;
  if (first === undefined || running.length < replicas) return undefined;
  return { reason: "busy", claims: running.map(({ id }) => id), since: first.since };
}

/** The running grants of an agent, the longest-running first. */
function runningOf(
  name: AgentName,
  open: readonly ClaimSnapshot[],
): { id: ClaimId; since: string }[] {
  const running = open.flatMap(({ claim, grants }) =>
    grants.flatMap((grant) =>
      grant.state === "running" && grant.agent === name
        ? [{ id: claim.id, since: grant.started_at }]
        : [],
    ),
  );
  return running.toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since));
}

export function hasOrchestrator({ leader }: Pick<Situation, "leader">): boolean {
  return leader !== undefined && leader.expiresInMs > 0;
}

/** An approval of a person who has left `people` counts no more. */
export function withCounted(waiting: Waiting, { agents }: Pick<Situation, "agents">): Waiting {
  if (waiting.kind !== "approval" || waiting.approvals === undefined) return waiting;
  const people = agents.find(({ name }) => name === waiting.agent)?.people;
  return { ...waiting, approvals: countedApprovals(waiting.approvals, people) };
}
