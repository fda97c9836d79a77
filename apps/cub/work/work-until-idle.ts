// A worker that lasts works as the agent's own container does, on one grant after the other, and
// ends by itself when none has come for a while: never with work in hand.
import type { Deps, StopSignals } from "../program/deps.ts";
import { WorkExecutor } from "./work-executor.ts";

const maxLookEveryMs = 1_000;

/** `idleMs`: how long it rests. `turnMs`: so long after its start it begins nothing more. */
type Stay = { idleMs: number; turnMs?: number | undefined };

/**
 * Resolves when it has had no work for `idleMs`, its turn is over, or `stop` has come, and no
 * result can be lost. `onBegin`: from now on there is work that would be lost with this process.
 */
export async function workUntilIdle(
  deps: Deps,
  { idleMs, turnMs = Number.POSITIVE_INFINITY }: Stay,
  { stop, kill }: StopSignals,
  onBegin: () => void = () => {},
): Promise<void> {
  const { clock, log } = deps;
  const startedAtMs = clock.passedMs();
  // Between two grants: what it has begun it brings to its end.
  const unfit = () =>
    deps.unfit?.() ??
    (clock.passedMs() - startedAtMs >= turnMs ? "others may have its place" : undefined);
  const executor = new WorkExecutor({ ...deps, unfit });
  const leave = new AbortController();
  let why = "no work has come";
  let busyAtMs = startedAtMs;
  const look = () => {
    const problem = unfit();
    if (executor.isBusy) {
      busyAtMs = clock.passedMs();
      onBegin();
    } else if (clock.passedMs() - busyAtMs >= idleMs || problem !== undefined) {
      why = problem ?? why;
      leave.abort();
    }
  };
  const timer = setInterval(look, Math.min(maxLookEveryMs, idleMs / 4));
  try {
    await executor.run({ stop: AbortSignal.any([stop, leave.signal]), kill });
  } finally {
    clearInterval(timer);
  }
  log.info("Worker ends", { reason: stop.aborted ? "a signal to stop" : why });
}
