// Waits for a condition instead of sleeping.

export type Patience = { timeoutMs?: number; everyMs?: number; happened?: () => Promise<string> };

/** A look that starts a program takes a tenth of a second of a processor that others need. */
const maxPauseMs = 500;

/**
 * Resolves with the first value that is neither undefined nor false; rejects with what was waited
 * for when the time is up, and with what `happened` instead. Looks again after `everyMs`, or after
 * twice the time that a look takes, or after an eighth of the time that it has waited: so long
 * waits need few looks.
 */
export async function waitFor<Value>(
  what: string,
  probe: () => Value | undefined | false | Promise<Value | undefined | false>,
  { timeoutMs = 200_000, everyMs = 10, happened }: Patience = {},
): Promise<Value> {
  const startMs = performance.now();
  for (;;) {
    const beganMs = performance.now();
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    const nowMs = performance.now();
    if (nowMs - startMs > timeoutMs) {
      const instead = happened === undefined ? "" : ` Instead: ${await happened()}`;
      throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.${instead}`);
    }
    const wantedMs = Math.max(2 * (nowMs - beganMs), (nowMs - startMs) / 8);
    const pauseMs = Math.max(everyMs, Math.min(wantedMs, maxPauseMs));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
