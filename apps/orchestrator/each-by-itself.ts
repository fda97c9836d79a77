// Deals with many things at once so that one that cannot be dealt with stands in no other's way.
import { messageOf } from "../../lib/model/errors.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import { Fenced } from "./deps.ts";

export class EachByItself<Id extends string> {
  readonly #log: JsonLog;
  readonly #sentence: string;
  readonly #field: string;
  /** What was said of which. */
  readonly #said = new Map<Id, string>();

  /** `sentence` is logged for what fails, with its id in `field`: once for each cause, until it goes well again. */
  constructor(log: JsonLog, sentence: string, field: string) {
    this.#log = log;
    this.#sentence = sentence;
    this.#field = field;
  }

  /** Throws, when all have ended, what concerns them all: the epoch is over, or Redis is away. */
  async run(ids: readonly Id[], job: (id: Id) => Promise<unknown>): Promise<void> {
    const results = await Promise.allSettled(ids.map(job));
    for (const [index, id] of ids.entries()) {
      const result = results[index];
      if (result?.status !== "rejected") this.#said.delete(id);
      else if (result.reason instanceof Fenced || isAway(result.reason)) throw result.reason;
      else this.#say(id, result.reason);
    }
  }

  #say(id: Id, error: unknown): void {
    const problem = messageOf(error);
    if (this.#said.get(id) === problem) return;
    this.#said.set(id, problem);
    this.#log.error(this.#sentence, { [this.#field]: id, error });
  }
}
