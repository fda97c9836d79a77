// Runs a job for many ids at once, so that a job that fails stops no other.

import { Fenced } from "../../../lib/blackboard/port/leading.ts";
import { MalformedClaimError } from "../../../lib/blackboard/records/malformed-claim.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { KnownProblems } from "../../../lib/service/known-problems.ts";
import { isAway } from "../../../lib/service/until-contact.ts";

export type Failure = { error: unknown };

export class IsolatedJobs<Id extends string> {
  readonly #log: JsonLog;
  readonly #sentence: string;
  readonly #field: string;
  readonly #problems = new KnownProblems();

  /**
   * `sentence` is logged for an id whose job fails, with the id in `field`: once for each problem,
   * until the job succeeds again.
   */
  constructor(log: JsonLog, sentence: string, field: string) {
    this.#log = log;
    this.#sentence = sentence;
    this.#field = field;
  }

  /**
   * Throws, when all jobs have ended, what concerns all of them: the epoch is over, or Redis is
   * unreachable. Resolves with the first failure that another try may mend, if there is one.
   */
  async run(ids: readonly Id[], job: (id: Id) => Promise<unknown>): Promise<Failure | undefined> {
    let failure: Failure | undefined;
    const results = await Promise.allSettled(ids.map(job));
    for (const [index, id] of ids.entries()) {
      const result = results[index];
      if (result?.status !== "rejected") this.#problems.forget(id);
      else if (result.reason instanceof Fenced || isAway(result.reason)) throw result.reason;
      else {
        this.#logFailure(id, result.reason);
        if (!(result.reason instanceof MalformedClaimError)) failure ??= { error: result.reason };
      }
    }
    return failure;
  }

  #logFailure(id: Id, error: unknown): void {
    if (!this.#problems.isNew(id, messageOf(error))) return;
    this.#log.error(this.#sentence, { [this.#field]: id, error });
  }
}
