/** Resolves after `ms`, or at once when the signal aborts. */
export function pauseUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
  });
}

/** Before the next try; `tries` were in vain so far. */
export function backOffMs(tries: number): number {
  return Math.min(1_000, 25 * 2 ** Math.min(tries, 10));
}
