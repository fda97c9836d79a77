// What a run of `sett up` has done so far, as steps that take it back.
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Shell } from "../terminal/shell.ts";

export class Journal {
  #steps: (() => Promise<unknown>)[] = [];
  #lastSteps: (() => Promise<unknown>)[] = [];
  #hasBegun = false;

  /** Whether anything was ever done. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Nothing can be taken back: nothing was done yet, or it stays. */
  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /** To be called as soon as there is something to take back. */
  note(takeBack: () => Promise<unknown>): void {
    this.#hasBegun = true;
    this.#steps.push(takeBack);
  }

  /** For what can go on only when all else is as it was. */
  noteLast(step: () => Promise<unknown>): void {
    this.#lastSteps.push(step);
  }

  /** From here on what has been done stays. */
  close(): void {
    this.#steps = [];
    this.#lastSteps = [];
  }

  /**
   * Takes everything back, the latest first, and then does what was to come last, in its order. One step that fails does not keep
   * the others; what went wrong is returned.
   */
  async takeBack(): Promise<unknown[]> {
    const failures: unknown[] = [];
    const steps = [...this.#steps.splice(0).reverse(), ...this.#lastSteps.splice(0)];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    return failures;
  }
}

/** Restores what was there before this run, and tells the person what could not be restored. */
export async function undo(journal: Journal, instance: InstanceName, shell: Shell): Promise<void> {
  if (journal.isEmpty) return;
  shell.messages.note("Undoing what was done …");
  const failures = await journal.takeBack();
  if (failures.length === 0) return;
  for (const failure of failures) shell.messages.warn(`Not everything could be undone: ${messageOf(failure)}`);
  const isAway = (failure: unknown) => failure instanceof SettError && failure.code === "redis-unreachable";
  if (failures.every(isAway)) shell.messages.next(`Once Redis answers and takes writes: sett up --name ${instance}`);
  else shell.messages.next(`sett down --name ${instance}`);
}
