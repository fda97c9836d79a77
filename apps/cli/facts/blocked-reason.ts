// Why somebody who is waited for has not acted yet, as far as the blackboard tells.

import type { Waiting } from "../../../lib/core/goal-status.ts";
import type { AgentRegistration, AgentState, AgentStatus, RegisteredAgent } from "../../../lib/model/agent.ts";
import type { ClaimSnapshot, MalformedClaim } from "../../../lib/model/claim.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { AgentName, ClaimId } from "../../../lib/model/ids.ts";
import { silentAfterMs } from "../../../lib/model/leases.ts";
import type { Suggest } from "../text/suggest.ts";
import { kindOf } from "./agent-kind.ts";

/** `problem`: why Redis refuses writes, if it does, in a sentence. `limitBytes`: undefined where it has none. */
export type Store = { problem: string | undefined; usedBytes: number; limitBytes: number | undefined };

/** What is known beside the claims themselves, read at about one moment. */
export type Situation = {
  /** What the person called the instance, if anything: goes into suggested commands. */
  suggest: Suggest;
  /** Redis TIME, Unix milliseconds. */
  nowMs: number;
  agents: readonly RegisteredAgent[];
  statuses: ReadonlyMap<AgentName, AgentStatus>;
  leader: { holder: string; epoch: number; expiresInMs: number } | undefined;
  /** Since when (ISO 8601) and by whom the instance is paused, if it is. */
  pause: { since: string; by: Actor } | undefined;
  /** Every open claim of the instance. */
  open: readonly ClaimSnapshot[];
  /** How Redis stands. */
  store?: Store;
  /** Of the open ones, those that cannot be read. */
  malformed?: readonly MalformedClaim[];
};

/**
 * `external`, `person`: somebody takes part by hand, of whom no sign of life is to be expected. `unreadable`: nothing but its name can be made
 * out of its registration. `busy`: at work on as many other claims as
 * it can, the first of them `since`. `paused`: the whole instance is. Times are ISO 8601; null: never heard of.
 */
export type Why =
  | Pulse
  | { reason: "unregistered" }
  | { reason: "busy"; claims: ClaimId[]; since: string }
  | { reason: "paused"; since: string; by: Actor };
export type Pulse =
  | { reason: "external" | "person" }
  | { reason: "unreadable"; problem: string }
  | { reason: "silent"; last_heard: string | null }
  | { reason: "alive"; state: AgentState; last_heard: string };

/** Undefined where no agent is waited for and no pause is in the way, and where a container of its own does the work, of which no heartbeat tells. */
export function whyOf(waiting: Waiting, situation: Situation): Why | undefined {
  if (situation.pause !== undefined && isHeldByPause(waiting)) return { reason: "paused", ...situation.pause };
  if (!("agent" in waiting)) return undefined;
  const agent = situation.agents.find(({ name }) => name === waiting.agent);
  if (agent === undefined) return { reason: "unregistered" };
  const isByWorker = agent.strategy === "fresh_per_call" && (waiting.kind === "start" || waiting.kind === "work");
  const pulse = isByWorker ? undefined : pulseOf(agent, situation);
  if (pulse?.reason === "silent" || pulse?.reason === "unreadable" || waiting.kind !== "start") return pulse;
  return busyWith(agent, waiting.claim, situation.open) ?? pulse;
}

/** Nothing new is granted or accepted while the instance is paused; whoever bids, works, answers or approves goes on. */
function isHeldByPause({ kind }: Waiting): boolean {
  return kind === "start" || kind === "retry" || kind === "decision";
}

/** Whoever is waited for may never come. */
export function isAbsent(why: Why | undefined): boolean {
  return why?.reason === "unregistered" || why?.reason === "unreadable" || why?.reason === "silent";
}

/** Whether an agent gives its sign of life. */
export function pulseOf(agent: RegisteredAgent, situation: Situation): Pulse {
  const { statuses, nowMs } = situation;
  const kind = kindOf(agent);
  if (kind !== undefined) return { reason: kind };
  if (agent.unreadable !== undefined) return { reason: "unreadable", problem: agent.unreadable.problem };
  const last = statuses.get(agent.name);
  if (last === undefined) return { reason: "silent", last_heard: null };
  const last_heard = new Date(last.at).toISOString();
  if (nowMs - last.at > silentAfterMs) return { reason: "silent", last_heard };
  return { reason: "alive", state: stateOf(agent, last, situation), last_heard };
}

/** As its heartbeat has it; but that is some seconds old, and that of an agent with workers knows nothing of them. */
export function stateOf(agent: AgentRegistration, last: AgentStatus, situation: Situation): AgentState {
  return last.state === "idle" && claimsOf(agent, situation).length > 0 ? "working" : last.state;
}

/** What it is at work on, the longest first: as the grants have it, or at least its heartbeat. */
export function claimsOf({ name }: AgentRegistration, { open, statuses }: Situation): ClaimId[] {
  const running = runningOf(name, open).map(({ id }) => id);
  const last = statuses.get(name);
  return running.length > 0 || last?.claim_id === undefined ? running : [last.claim_id];
}

/** How many workers an agent may have, and what those are at that it has; undefined for one that works itself. */
export function workersOf(
  { name, replicas, strategy }: AgentRegistration,
  { open }: Situation,
): { most: number; claims: ClaimId[] } | undefined {
  if (strategy !== "fresh_per_call") return undefined;
  return { most: replicas, claims: runningOf(name, open).map(({ id }) => id) };
}

/** An agent works on one grant at a time, one with replicas on so many. */
function busyWith({ name, replicas }: AgentRegistration, own: ClaimId, open: readonly ClaimSnapshot[]): Why | undefined {
  const running = runningOf(name, open).filter(({ id }) => id !== own);
  const [first] = running;
  if (first === undefined || running.length < replicas) return undefined;
  return { reason: "busy", claims: running.map(({ id }) => id), since: first.since };
}

/** What somebody is at work on, the longest first. */
function runningOf(name: AgentName, open: readonly ClaimSnapshot[]): { id: ClaimId; since: string }[] {
  const running = open.flatMap(({ claim, grants }) =>
    grants.flatMap((grant) =>
      grant.state === "running" && grant.agent === name ? [{ id: claim.id, since: grant.started_at }] : [],
    ),
  );
  return running.toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since));
}

export function isOrchestrated({ leader }: Pick<Situation, "leader">): boolean {
  return leader !== undefined && leader.expiresInMs > 0;
}
