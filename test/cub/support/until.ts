// Waiting for a condition rather than for time to pass.

/** Resolves with the first value of `probe` that is neither undefined nor false; rejects, saying what was waited for, after `mostMs`. */
export async function until<Value>(
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
  what: string,
  mostMs = 10_000,
): Promise<Value> {
  const deadline = performance.now() + mostMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${mostMs} ms for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
