// Waits until every part of a new instance is truly ready: seen at work on the blackboard, not merely started.

import { sleep } from "../../../lib/async/sleep.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { silentAfterMs } from "../../../lib/model/leases.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";

const pollMs = 20;
/** Asking the engine is dearer than asking Redis. */
const inspectEveryMs = 300;
export const readyWithinMs = 60_000;

/** Resolves when the part is ready, or when the signal ends the waiting. */
export type Ready = (signal: AbortSignal) => Promise<void>;

/** An orchestrator is ready when it holds its leader lease, newly taken from now on: only loops that turn take one. */
export async function nextLeader(board: Blackboard): Promise<Ready> {
  const before = (await board.readLeader())?.epoch ?? 0;
  return (signal) =>
    until(signal, async () => {
      const leader = await board.readLeader();
      return leader !== undefined && leader.epoch > before && leader.expiresInMs > 0;
    });
}

/** An agent is ready with its first heartbeat from now on. */
export async function nextHeartbeat(board: Blackboard, agent: AgentName): Promise<Ready> {
  const last = async () => (await board.listStatuses()).get(agent)?.at;
  const before = await last();
  return (signal) =>
    until(signal, async () => {
      const at = await last();
      return at !== undefined && at !== before;
    });
}

/** Whether somebody orchestrates, now or within the time after which whoever does not is called silent. */
export async function isOrchestratedSoon(board: Blackboard, signal: AbortSignal): Promise<boolean> {
  return await soon(signal, async () => ((await board.readLeader())?.expiresInMs ?? 0) > 0);
}

/** Whether an agent gives a sign of life, now or within that time. An agent's clock that goes wrong costs no more than the wait for the next. */
export async function isHeardSoon(board: Blackboard, agent: AgentName, signal: AbortSignal): Promise<boolean> {
  const last = async () => (await board.listStatuses()).get(agent)?.at;
  const before = await last();
  if (before !== undefined && Math.abs(Date.now() - before) < silentAfterMs) return true;
  return await soon(signal, async () => (await last()) !== before);
}

async function soon(signal: AbortSignal, probe: () => Promise<boolean>): Promise<boolean> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(silentAfterMs)]);
  let isSo = false;
  await until(over, async () => {
    isSo = await probe();
    return isSo;
  });
  return isSo;
}

async function until(signal: AbortSignal, probe: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && !(await probe())) await sleep(pollMs, signal);
}

/**
 * Waits for `ready`, which is given a signal that ends it. Throws PartFailed when the part's container ends meanwhile or the time
 * is up, and `interrupted` with the signal.
 */
export async function awaitPart(runtime: ContainerRuntime, container: string, ready: Ready, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    await Promise.race([ready(either), watchContainer(runtime, container, either)]);
  } finally {
    over.abort();
  }
  if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
}

/** A part that did not come up: its container's last words tell why. */
export class PartFailed extends Error {
  override readonly name = "PartFailed";
  readonly container: string;

  constructor(container: string, reason: string) {
    super(reason);
    this.container = container;
  }
}

async function watchContainer(runtime: ContainerRuntime, container: string, signal: AbortSignal): Promise<void> {
  const startedAt = Date.now();
  while (!signal.aborted) {
    await sleep(inspectEveryMs, signal);
    if (signal.aborted) return;
    const part = await runtime.containers.find(container);
    if (part === undefined) throw new PartFailed(container, `${container} is gone: somebody removed it`);
    const { state, restarts } = part;
    if (state.state === "exited" || state.state === "restarting") {
      throw new PartFailed(container, `${container} ended with exit code ${state.exitCode} right after it was started`);
    }
    if (restarts > 0) throw new PartFailed(container, `${container} ended right after it was started`);
    if (Date.now() - startedAt > readyWithinMs) {
      throw new PartFailed(container, `${container} runs, but was not ready within ${readyWithinMs / 1_000} s`);
    }
  }
}
