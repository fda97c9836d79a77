// Wakes the callers that wait for the memory blackboard to change.

export class Notifier {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Resolves at the next notification, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        signal.removeEventListener("abort", wake);
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

/** Batches of `nextBatch`, until the signal aborts. */
export async function* follow<Item>(
  nextBatch: () => Item[],
  changed: Notifier,
  signal: AbortSignal,
): AsyncGenerator<Item[]> {
  while (!signal.aborted) {
    const batch = nextBatch();
    if (batch.length > 0) yield batch;
    else await changed.next(signal);
  }
}
