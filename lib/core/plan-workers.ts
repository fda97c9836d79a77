// Decides which work gets a worker next, and says of all other work why it waits
// (docs/internals/orchestrator.md#workers).
import type { AgentName, ClaimId } from "../model/ids.ts";

/** `slots`: how many workers the agent may have. */
export type WorkerScale = { agent: AgentName; slots: number };

/**
 * A grant without a worker. `by`: whose goal it is for. `attempt`: named where workers last, which
 * may be at other work when their claim has a later attempt.
 */
export type WaitingWork = { agent: AgentName; claim: ClaimId; attempt?: number; by: string };

/** A worker that starts or runs. The agent may have had more slots when it was started. */
export type Worker = WaitingWork & { slot: number };

/**
 * `limit`: of all agents together; undefined where there is none. `waiting`: in the order in which
 * it came. A claim has one grant for each agent.
 */
export type WorkersNow = {
  scales: readonly WorkerScale[];
  limit: number | undefined;
  waiting: readonly WaitingWork[];
  workers: readonly Worker[];
};

/**
 * `in_work`: a worker for the same grant has not ended. `agent`, `instance`: so many workers are
 * there as the agent, or all agents together, may have.
 */
export type WaitReason =
  | { kind: "in_work" }
  | { kind: "agent"; workers: number; of: number }
  | { kind: "instance"; workers: number; of: number };

export type WorkerPlan = {
  starts: Worker[];
  waits: { work: WaitingWork; why: WaitReason }[];
};

/**
 * The next worker is for the person who has the fewest, among these for the agent that has the
 * fewest, and among these for what has waited longest. So places that become free go round among
 * people and agents; what runs is never ended for it.
 */
export function planWorkers(now: WorkersNow): WorkerPlan {
  const slotsOf = new Map(now.scales.map(({ agent, slots }) => [agent, slots]));
  const workers = [...now.workers];
  const starts: Worker[] = [];
  let waiting = [...now.waiting];
  const count = { by: countOf(workers, "by"), agent: countOf(workers, "agent") };
  const reason = (work: WaitingWork): WaitReason | undefined => {
    const { agent } = work;
    if (workers.some((worker) => isFor(worker, work))) return { kind: "in_work" };
    const own = count.agent.get(agent) ?? 0;
    const slots = slotsOf.get(agent) ?? 0;
    if (own >= slots) return { kind: "agent", workers: own, of: slots };
    if (now.limit !== undefined && workers.length >= now.limit)
      return { kind: "instance", workers: workers.length, of: now.limit };
    return undefined;
  };
  for (;;) {
    const next = firstOf(
      waiting.filter((work) => reason(work) === undefined),
      ({ by, agent }) => [count.by.get(by) ?? 0, count.agent.get(agent) ?? 0],
    );
    if (next === undefined) break;
    const worker = { ...next, slot: freeSlot(next.agent, workers) };
    starts.push(worker);
    workers.push(worker);
    count.by.set(next.by, (count.by.get(next.by) ?? 0) + 1);
    count.agent.set(next.agent, (count.agent.get(next.agent) ?? 0) + 1);
    waiting = waiting.filter((work) => work !== next);
  }
  const waits = waiting.flatMap((work) => {
    const why = reason(work);
    return why === undefined ? [] : [{ work, why }];
  });
  return { starts, waits };
}

function isFor(worker: Worker, { agent, claim, attempt }: WaitingWork): boolean {
  return worker.agent === agent && worker.claim === claim && worker.attempt === attempt;
}

function countOf<Key extends "by" | "agent">(
  workers: readonly Worker[],
  key: Key,
): Map<Worker[Key], number> {
  const counts = new Map<Worker[Key], number>();
  for (const worker of workers) counts.set(worker[key], (counts.get(worker[key]) ?? 0) + 1);
  return counts;
}

/** The first of those with the least rank. */
function firstOf(
  works: readonly WaitingWork[],
  rankOf: (work: WaitingWork) => [number, number],
): WaitingWork | undefined {
  let best: { work: WaitingWork; rank: [number, number] } | undefined;
  for (const work of works) {
    const rank = rankOf(work);
    if (best === undefined || isLess(rank, best.rank)) best = { work, rank };
  }
  return best?.work;
}

function isLess([a, b]: [number, number], [c, d]: [number, number]): boolean {
  return a < c || (a === c && b < d);
}

/** Each slot has a workspace of its own. */
function freeSlot(agent: AgentName, workers: readonly Worker[]): number {
  const taken = new Set(workers.flatMap((one) => (one.agent === agent ? [one.slot] : [])));
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  return slot;
}
