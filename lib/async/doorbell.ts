// Lets a loop rest until there is something to do: each time that it wakes for nothing costs a
// machine at rest more than the look itself.

export class Doorbell {
  #isRung = false;
  #wake = () => {};

  /**
   * Ends the present wait, or the next one at once. Costs nothing, so that it may be rung for every
   * message.
   */
  ring(): void {
    if (this.#isRung) return;
    this.#isRung = true;
    this.#wake();
  }

  /**
   * Resolves when it has been rung since the last wait, after `ms`, or when the signal aborts;
   * never rejects. For one loop.
   */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", finish);
          this.#wake = () => {};
          resolve();
        };
        const timer = setTimeout(finish, ms);
        signal.addEventListener("abort", finish, { once: true });
        this.#wake = finish;
      });
    }
    this.#isRung = false;
  }
}
