// Sets the gauges that are read from the blackboard, once for all of them at each scrape.
import { sleep } from "../async/sleep.ts";
import { messageOf } from "../model/errors.ts";
import type { JsonLog } from "../service/json-log.ts";
import type { TelemetryBoard } from "./board.ts";
import type { GoalStates } from "./goal-states.ts";
import type { InstanceMetrics } from "./metrics.ts";
import { ageOfNext, type Instance, readInstance, type Waiting } from "./read-instance.ts";

/** Several programs may scrape; and all gauges ask at the same moment. */
const validMs = 500;
/** Prometheus gives up after 10 s. */
const patienceMs = 5_000;

export type GaugeSources = {
  board: TelemetryBoard;
  metrics: InstanceMetrics;
  goals: GoalStates;
  version: string;
  /** The last event that is counted; undefined where none is counted yet. */
  position: () => string | undefined;
  log: JsonLog;
  nowMs: () => number;
};

/**
 * The function never rejects. Without an answer of Redis in time, `up` is 0 and the other gauges
 * stay as they were.
 */
export function gaugeRefresher(sources: GaugeSources): () => Promise<void> {
  let last: { atMs: number; refreshed: Promise<void> } | undefined;
  return () => {
    const now = sources.nowMs();
    if (last === undefined || now - last.atMs > validMs)
      last = { atMs: now, refreshed: refresh(sources) };
    return last.refreshed;
  };
}

async function refresh(sources: GaugeSources): Promise<void> {
  const { board, metrics, log } = sources;
  const over = new AbortController();
  const tooLate = sleep(patienceMs, over.signal).then(() => undefined);
  try {
    const reading = readInstance(board).then(async (instance) => ({
      instance,
      lagMs: await lagOf(sources, instance),
    }));
    // Its failure is of no interest where it is too late.
    reading.catch(() => undefined);
    const read = await Promise.race([reading, tooLate]);
    if (read !== undefined) setGauges(sources, read.instance, read.lagMs);
    metrics.up.set(read === undefined ? 0 : 1);
  } catch (error) {
    metrics.up.set(0);
    log.warn("The instance could not be measured", { error: messageOf(error) });
  } finally {
    over.abort();
  }
}

async function lagOf(
  { board, position }: GaugeSources,
  { endOfLog, nowMs }: Instance,
): Promise<number> {
  const at = position();
  return at === undefined || at === endOfLog ? 0 : ageOfNext(board, at, nowMs);
}

function setGauges(
  { board, metrics, goals, version }: GaugeSources,
  instance: Instance,
  lagMs: number,
): void {
  const { nowMs, leader, memory, statuses } = instance;
  metrics.info.set({ instance_name: board.instance, version }, 1);
  for (const [state, count] of goals.counts(instance.goalsThatGoOn))
    metrics.goals.set({ state }, count);
  metrics.goalsOnBlackboard.set(instance.goals);
  metrics.artefacts.set(instance.artefacts);
  for (const [stage, count] of instance.openClaims) metrics.openClaims.set({ stage }, count);
  metrics.unreadClaims.set(instance.unreadClaims);
  metrics.grants.reset();
  metrics.heartbeatAge.reset();
  metrics.agentState.reset();
  for (const { name: agent } of instance.agents) {
    for (const state of ["queued", "running", "waiting"]) {
      metrics.grants.set({ agent, state }, instance.grants.get(agent)?.get(state) ?? 0);
    }
    const status = statuses.get(agent);
    if (status === undefined) continue;
    metrics.heartbeatAge.set({ agent }, Math.max(0, nowMs - status.at) / 1_000);
    metrics.agentState.set({ agent, state: status.state }, 1);
  }
  setWaiting(metrics, "question", instance.questions, nowMs);
  setWaiting(metrics, "approval", instance.approvals, nowMs);
  metrics.paused.set(instance.isPaused ? 1 : 0);
  metrics.leader.set(leader.isAlive ? 1 : 0);
  metrics.epoch.set(leader.epoch);
  metrics.orchestratorLag.set(leader.lagMs / 1_000);
  metrics.logLength.set(instance.logEvents);
  metrics.redisBytes.set(memory.usedBytes);
  metrics.redisLimit.set(memory.limitBytes ?? 0);
  metrics.lag.set(lagMs / 1_000);
}

function setWaiting(
  { inquiries, oldestInquiry }: InstanceMetrics,
  kind: string,
  { count, oldestMs }: Waiting,
  nowMs: number,
): void {
  inquiries.set({ kind }, count);
  oldestInquiry.set({ kind }, count === 0 ? 0 : Math.max(0, nowMs - oldestMs) / 1_000);
}
