// Waits for a condition instead of sleeping.

/** Resolves with the first value that is neither undefined nor false; rejects with what was waited for when the time is up. */
export async function waitFor<Value>(
  what: string,
  probe: () => Value | undefined | false | Promise<Value | undefined | false>,
  { timeoutMs = 100_000, everyMs = 10 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
