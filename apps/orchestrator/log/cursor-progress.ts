// The cursor moves only past events whose work is confirmed, although many events are handled at
// once.

export class CursorProgress {
  readonly #pending: { id: string; isDone: boolean }[] = [];
  #confirmed: string;
  #reached: string;

  /** `start` is the stored cursor. */
  constructor(start: string) {
    this.#confirmed = start;
    this.#reached = start;
  }

  /**
   * Begins an event; the caller calls the returned function when the event's work is confirmed.
   * Events begin in the order of the log.
   */
  begin(id: string): () => void {
    const entry = { id, isDone: false };
    this.#reached = id;
    this.#pending.push(entry);
    return () => {
      entry.isDone = true;
      let done = 0;
      for (const { id: doneId, isDone } of this.#pending) {
        if (!isDone) break;
        this.#confirmed = doneId;
        done++;
      }
      if (done > 0) this.#pending.splice(0, done);
    };
  }

  /** Notes an event that needs no work. */
  skip(id: string): void {
    this.#reached = id;
    if (this.#pending.length === 0) this.#confirmed = id;
    else this.#pending.push({ id, isDone: true });
  }

  /** Everything up to here is done. */
  get confirmed(): string {
    return this.#confirmed;
  }

  /** The last event that was begun. */
  get reached(): string {
    return this.#reached;
  }

  get inFlight(): number {
    return this.#pending.length;
  }
}
