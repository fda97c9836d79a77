// Calls that wait for contact: each for a time of its own, or until there is contact again.
export class ContactWaiters {
  readonly #waiting = new Set<() => void>();

  within(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      this.#waiting.add(finish);
    });
  }

  wake(): void {
    for (const finish of [...this.#waiting]) finish();
  }
}
