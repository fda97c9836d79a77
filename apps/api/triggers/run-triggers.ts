// Lets triggers look, each kind as often as it wants, until the signal. Nothing is remembered here
// that the record does not have, and a goal that is stated twice is one goal: a second program that
// looks as well does no harm, so that no lease is needed.
import { sleep } from "../../../lib/async/sleep.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { Trigger } from "../../../lib/model/trigger.ts";
import { KnownProblems } from "../../../lib/service/known-problems.ts";
import type { Watch } from "../../../lib/triggers/kind.ts";
import { kindOf } from "../../../lib/triggers/kinds.ts";
import type { Parts } from "../parts.ts";
import type { TriggerParts } from "./fire.ts";
import { triggerPort } from "./trigger-port.ts";

export async function runTriggers(parts: Parts): Promise<void> {
  const { signal } = parts;
  const run = async (group: Group) => {
    for (; !signal.aborted; await sleep(group.everyMs, signal)) await group.look();
  };
  await Promise.all(new TriggerLooks(parts).groups.map(run));
}

/** `look`: one look of all triggers of a kind. */
type Group = { everyMs: number; look(): Promise<void> };

/** Single looks, which never reject: what fails is tried again at the next one. */
export class TriggerLooks {
  readonly groups: readonly Group[];
  readonly #parts: TriggerParts;
  readonly #problems = new KnownProblems();

  constructor(parts: TriggerParts) {
    this.#parts = parts;
    const port = triggerPort(parts);
    const byKind = Map.groupBy(parts.deps.triggers ?? [], ({ kind }) => kind);
    this.groups = [...byKind].flatMap(([kind, triggers]) => {
      const { watch } = kindOf({ kind });
      if (watch === undefined) return [];
      const started = watch.start(port);
      const look = async () => {
        await Promise.all(triggers.map((trigger) => this.#safely(trigger, started)));
      };
      return [{ everyMs: watch.everyMs, look }];
    });
  }

  /** One look of every trigger. */
  async look(): Promise<void> {
    await Promise.all(this.groups.map((group) => group.look()));
  }

  async #safely(trigger: Trigger, watch: Watch<Trigger>): Promise<void> {
    const { name } = trigger;
    try {
      await watch.look(trigger);
      this.#problems.forget(name);
    } catch (error) {
      const problem = messageOf(error);
      if (!this.#problems.isNew(name, problem)) return;
      const about = { trigger: name, error: problem };
      this.#parts.deps.log.warn("A trigger could not look, and goes on trying", about);
    }
  }
}
