// A worker that lasts works as the agent's own container does, on one grant after the other, and
// ends by itself when none has come for a while: never with work in hand.
import type { Deps, StopSignals } from "../program/deps.ts";
import { WorkExecutor } from "./work-executor.ts";

const maxLookEveryMs = 1_000;

/**
 * Resolves when it has had no work for `idleMs`, or `stop` has come, and no result can be lost.
 * `onBegin`: from now on there is work that would be lost with this process.
 */
export async function workUntilIdle(
  deps: Deps,
  idleMs: number,
  { stop, kill }: StopSignals,
  onBegin: () => void = () => {},
): Promise<void> {
  const { clock, log, unfit } = deps;
  const executor = new WorkExecutor(deps);
  const leave = new AbortController();
  let busyAtMs = clock.passedMs();
  const look = () => {
    if (executor.isBusy) {
      busyAtMs = clock.passedMs();
      onBegin();
    } else if (clock.passedMs() - busyAtMs >= idleMs || unfit?.() !== undefined) leave.abort();
  };
  const timer = setInterval(look, Math.min(maxLookEveryMs, idleMs / 4));
  try {
    await executor.run({ stop: AbortSignal.any([stop, leave.signal]), kill });
  } finally {
    clearInterval(timer);
  }
  log.info("Worker ends", { reason: stop.aborted ? "a signal to stop" : "no work has come" });
}
