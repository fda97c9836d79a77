// Undoes what a run of `sett up` has done so far.
import { messageOf, SettError } from "../../../../lib/model/errors.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { isTakenOver } from "../../instance/lock.ts";
import type { Shell } from "../../terminal/shell.ts";

export class UndoSteps {
  #steps: (() => Promise<unknown>)[] = [];
  #lastSteps: (() => Promise<unknown>)[] = [];
  #hasBegun = false;
  #isKept = false;

  /** Whether a step was ever added. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether there is nothing to undo: nothing was done yet, or it must stay. */
  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /** Whether all of it stays, because every part is ready. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Call this as soon as there is something to undo. */
  add(step: () => Promise<unknown>): void {
    this.#hasBegun = true;
    this.#steps.push(step);
  }

  /** Adds a step that must run after all others. */
  addLast(step: () => Promise<unknown>): void {
    this.#lastSteps.push(step);
  }

  /** Forgets all steps: what was done stays. */
  clear(): void {
    this.#isKept = true;
    this.#steps = [];
    this.#lastSteps = [];
  }

  /**
   * Runs all steps, the latest first, and then the last steps, in their order. A step that fails
   * does not stop the others. Returns the failures. `mayGoOn`: asked before each step.
   */
  async run(mayGoOn = () => true): Promise<unknown[]> {
    const failures: unknown[] = [];
    const steps = [...this.#steps.splice(0).reverse(), ...this.#lastSteps.splice(0)];
    for (const step of steps)
      if (mayGoOn()) await step().catch((error: unknown) => failures.push(error));
    return failures;
  }
}

/** Restores the state before this run, and warns about everything that could not be restored. */
export async function undo(
  undoSteps: UndoSteps,
  instance: InstanceName,
  shell: Shell,
): Promise<void> {
  if (undoSteps.isKept) {
    shell.messages.warn(
      `${instance} is up, but what comes last was not done, such as to stop what sett.yml no longer has.`,
    );
    shell.messages.next(`sett up --name ${instance}`);
  }
  if (undoSteps.isEmpty) return;
  shell.messages.note("Undoing what was done …");
  const failures = await undoSteps.run(() => !isTakenOver(shell.interrupted));
  if (failures.length === 0) return;
  // An Engine that is stuck gives each step the same reason.
  for (const reason of new Set(failures.map(messageOf)))
    shell.messages.warn(`Not everything could be undone: ${reason}`);
  const isRedisProblem = (failure: unknown) =>
    failure instanceof SettError && failure.code === "redis-unreachable";
  if (failures.every(isRedisProblem))
    shell.messages.next(`When Redis answers and accepts writes again: sett up --name ${instance}`);
  else shell.messages.next(`sett down --name ${instance}`);
}
