// Lets a service say a problem once, and not at each of its looks.

export class KnownProblems {
  readonly #known = new Map<string, string>();

  /** False where this thing had the same problem at the last look. */
  isNew(about: string, problem: string): boolean {
    if (this.#known.get(about) === problem) return false;
    this.#known.set(about, problem);
    return true;
  }

  /** The thing has no problem now: the same one is then a new one. */
  forget(about: string): void {
    this.#known.delete(about);
  }
}
