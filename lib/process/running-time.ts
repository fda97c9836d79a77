// Time that counts only while this process runs: what a command is given must not be used up while
// its container, or the machine, is frozen, since the command makes no progress then either.

const pulseMs = 1_000;
/** A busy machine delays a pulse by less. */
const frozenAfterMs = 5_000;

/**
 * Acts once this process has run for so long, and does not keep it alive. Returns how to call it
 * off. `tell` hears what is left of the time, each second.
 */
export function afterRunning(
  ms: number,
  act: () => void,
  tell: (leftMs: number) => void = () => {},
): () => void {
  let [leftMs, lookedAtMs] = [ms, performance.now()];
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    timer = setTimeout(look, Math.min(leftMs, pulseMs));
    timer.unref();
  };
  const look = () => {
    const nowMs = performance.now();
    const gapMs = nowMs - lookedAtMs;
    lookedAtMs = nowMs;
    leftMs -= gapMs > frozenAfterMs ? pulseMs : gapMs;
    tell(leftMs);
    if (leftMs > 0) wait();
    else act();
  };
  wait();
  return () => clearTimeout(timer);
}

/** Aborts once this process has run for so long. */
export function runningTimeout(ms: number): AbortSignal {
  return runningLimit(ms).signal;
}

/** `leftMs`: what is left of the time until the signal, to a second or so. */
export function runningLimit(ms: number): { signal: AbortSignal; leftMs: () => number } {
  const over = new AbortController();
  let leftMs = ms;
  const act = () => over.abort(new DOMException("The time is over.", "TimeoutError"));
  afterRunning(ms, act, (left) => {
    leftMs = left;
  });
  return { signal: over.signal, leftMs: () => Math.max(0, leftMs) };
}
