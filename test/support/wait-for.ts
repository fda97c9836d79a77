// Waits for a condition instead of sleeping.

export type Patience = { timeoutMs?: number; everyMs?: number; happened?: () => Promise<string> };

/**
 * Resolves with the first value that is neither undefined nor false; rejects with what was waited
 * for when the time is up, and with what `happened` instead.
 */
export async function waitFor<Value>(
  what: string,
  probe: () => Value | undefined | false | Promise<Value | undefined | false>,
  { timeoutMs = 100_000, everyMs = 10, happened }: Patience = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) {
      const instead = happened === undefined ? "" : ` Instead: ${await happened()}`;
      throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.${instead}`);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
