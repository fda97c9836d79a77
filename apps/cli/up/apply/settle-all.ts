// Waits for several jobs of `sett up`.

/**
 * All jobs must end before an undo, or it would miss what they still make. Throws the first
 * failure.
 */
export async function settleAll<Result>(jobs: readonly Promise<Result>[]): Promise<Result[]> {
  const results = await Promise.allSettled(jobs);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
