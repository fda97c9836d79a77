// Looks at what the kernel counts of the container, and ends commands that take too much of it. Two
// limits need this: the kernel would end, or refuse, something else than the command.
import { readFileSync } from "node:fs";
import process from "node:process";

/** A look takes a fiftieth of a millisecond, where memory is short a tenth. */
const lookEveryMs = 25;

export abstract class KernelWatch {
  readonly #listeners = new Set<(reason: string) => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * Ends every process of the container but this one when there is too much, and calls each
   * `onExceeded` that is there with a sentence, until the result is disposed of. Does nothing where
   * the kernel does not count or has no limit.
   */
  start(onExceeded: (reason: string) => void): Disposable {
    const listener = (reason: string) => onExceeded(reason);
    this.#listeners.add(listener);
    if (this.canLook) this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  /** A sentence about the limit. */
  abstract readonly reason: string;
  protected abstract readonly canLook: boolean;
  protected abstract isExceeded(): boolean;

  /** Commands end at once, because what takes too much goes on. */
  #look(): void {
    if (!this.isExceeded()) return;
    process.kill(-1, "SIGKILL");
    for (const listener of this.#listeners) listener(this.reason);
  }
}

/** Reads a file of the kernel that has a whole number alone; undefined for another one. */
export function numberIn(path: string): number | undefined {
  const text = textOf(path);
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Undefined where there is no such file. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
