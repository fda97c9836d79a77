// Looks at the clock and at the tags until the signal. Nothing here is remembered that the record
// does not have, and a goal that is stated twice is one goal: a second program that looks as well
// does no harm, so that no lease is needed.
import { sleep } from "../../../lib/async/sleep.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { Trigger } from "../../../lib/model/trigger.ts";
import type { Parts } from "../parts.ts";
import { repositoryOf } from "../routes/goals.ts";
import { CronWatch } from "./cron-watch.ts";
import type { TriggerParts } from "./fire.ts";
import { TagWatch } from "./tag-watch.ts";

const clockEveryMs = 1_000;
const tagsEveryMs = 5_000;

export async function runTriggers(parts: Parts): Promise<void> {
  const looks = new TriggerLooks(parts);
  const every = async (ms: number, look: () => Promise<void>) => {
    for (; !parts.signal.aborted; await sleep(ms, parts.signal)) await look();
  };
  const { crons, tags } = looks;
  await Promise.all([
    ...(crons.length === 0 ? [] : [every(clockEveryMs, () => looks.lookAtClock())]),
    ...(tags.length === 0 ? [] : [every(tagsEveryMs, () => looks.lookAtTags())]),
  ]);
}

/** Single looks, which never reject: what fails is tried again at the next one. */
export class TriggerLooks {
  readonly crons;
  readonly tags;
  readonly #parts: TriggerParts;
  readonly #cronWatch: CronWatch;
  readonly #tagWatch: TagWatch;
  /** Trigger → why its last look failed: the log has a sentence once. */
  readonly #problems = new Map<string, string>();

  constructor(parts: TriggerParts) {
    const triggers = parts.deps.triggers ?? [];
    this.#parts = parts;
    this.crons = triggers.filter((trigger) => trigger.kind === "cron");
    this.tags = triggers.filter((trigger) => trigger.kind === "tag");
    this.#cronWatch = new CronWatch(parts);
    this.#tagWatch = new TagWatch(parts);
  }

  async lookAtClock(): Promise<void> {
    await Promise.all(
      this.crons.map((trigger) => this.#safely(trigger, () => this.#cronWatch.look(trigger))),
    );
  }

  async lookAtTags(): Promise<void> {
    const tags = Promise.resolve().then(() => repositoryOf(this.#parts).tags());
    await Promise.all(
      this.tags.map((trigger) =>
        this.#safely(trigger, async () => this.#tagWatch.look(trigger, await tags)),
      ),
    );
  }

  async #safely({ name }: Trigger, look: () => Promise<void>): Promise<void> {
    try {
      await look();
      this.#problems.delete(name);
    } catch (error) {
      const problem = messageOf(error);
      if (this.#problems.get(name) === problem) return;
      this.#problems.set(name, problem);
      this.#parts.deps.log.warn("A trigger could not look, and goes on trying", {
        trigger: name,
        error: problem,
      });
    }
  }
}
