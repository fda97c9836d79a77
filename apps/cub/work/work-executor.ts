// The loop that works, one grant at a time: read and take → run → deliver.
import { messageOf } from "../../../lib/model/errors.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps, StopSignals } from "../program/deps.ts";
import { runPerConnection } from "../program/run-per-connection.ts";
import { AcknowledgedResults } from "./acknowledged-results.ts";
import { deliverResult } from "./deliver-result.ts";
import { reportLostAttempts } from "./lost-attempts.ts";
import { beginTask, logTask } from "./read-grant.ts";
import { mayTakeAtOnce, newRun, runGrant } from "./run-grant.ts";

/** How many results are sent whose answers have not come; payloads of up to 16 MiB limit it. */
const maxDeliveries = 8;

export class WorkExecutor {
  readonly #deps: Deps;
  #workingOn: ClaimId | undefined;
  readonly #deliveries = new Set<Promise<unknown>>();
  readonly #acknowledged: AcknowledgedResults;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#acknowledged = new AcknowledgedResults(deps);
  }

  /** The claim that the cub works on right now. */
  get workingOn(): ClaimId | undefined {
    return this.#workingOn;
  }

  /** It works, or has results that have not arrived. */
  get isBusy(): boolean {
    return this.#workingOn !== undefined || this.#deliveries.size > 0 || this.#acknowledged.isBusy;
  }

  /** True while it is busy, and while Redis may lose what it has acknowledged last. */
  get holdsWork(): boolean {
    return this.isBusy || this.#acknowledged.hasSome;
  }

  /**
   * Works until `stop`: reports attempts that an earlier process lost, works on the queued grants,
   * then on each new one. Resolves when no work is under way, and no result can be lost.
   */
  async run(signals: StopSignals): Promise<void> {
    const { board, log, registration, watch } = this.#deps;
    await reportLostAttempts(this.#deps, signals);
    const over = new AbortController();
    const acknowledged = this.#acknowledged.run(over.signal, signals.kill);
    await runPerConnection({ board, log, watch: watch.executor }, signals.stop, async (signal) => {
      const { name, replicas } = registration.current;
      const atOnce = replicas > 1 ? 1 : undefined;
      for await (const claims of board.followGrants(name, signal, undefined, atOnce)) {
        await this.tick(claims, signals);
        watch.executor.markIdle();
      }
    });
    over.abort();
    await acknowledged;
    await this.#deps.outputs?.settled(signals.kill);
  }

  /**
   * Works on these grants, one after the other, while results of those before are delivered.
   * Resolves when the last result is. Never rejects.
   */
  async tick(claims: readonly ClaimId[], signals: StopSignals): Promise<void> {
    for (const claim of claims) {
      const { cage, unfit, watch } = this.#deps;
      await cage?.untilProven(signals.stop, () => watch.executor.markProgress());
      // Grants that wait are taken in the container that starts next.
      if (signals.stop.aborted || unfit?.() !== undefined) break;
      this.#deps.watch.executor.markProgress();
      await this.#workOn(claim, signals);
    }
    await Promise.all(this.#deliveries);
  }

  async #workOn(claim: ClaimId, signals: StopSignals): Promise<void> {
    const { board, log, contextBytes, registration } = this.#deps;
    try {
      const run = newRun(this.#deps);
      const agent = registration.current.name;
      const order = {
        agent,
        claim,
        run,
        mayTake: mayTakeAtOnce(this.#deps),
        maxBytes: contextBytes,
      };
      // The grant of a result that Redis has lost looks queued until the result is on record
      // again. A loss shows with the next connection, so that nothing begins on one that came after
      // this look. A grant that stays queued is announced again.
      const begin = async () => {
        const readOn = board.connectionNumber();
        if (this.#acknowledged.isRepeating(claim)) return undefined;
        return await beginTask(board, { ...order, readOn });
      };
      const begun = await this.#untilContact(begin, signals);
      if (begun === undefined) return;
      if ("refused" in begun)
        return log.info("The grant is no longer available", {
          claim_id: claim,
          reason: begun.refused,
        });
      const { task, running } = begun;
      if (running === undefined && signals.stop.aborted) return;
      this.#workingOn = claim;
      logTask(log, task);
      const finished = await runGrant(this.#deps, task, run, signals, running);
      if (typeof finished === "string") return;
      while (this.#deliveries.size >= maxDeliveries) await Promise.race(this.#deliveries);
      const delivery = deliverResult(this.#deps, finished, finished.result, signals, (order) =>
        this.#acknowledged.add(order),
      ).finally(() => this.#deliveries.delete(delivery));
      this.#deliveries.add(delivery);
    } catch (error) {
      log.error("Failed to work on the claim", { claim_id: claim, error: messageOf(error) });
    } finally {
      this.#workingOn = undefined;
    }
  }

  #untilContact<Result>(job: () => Promise<Result>, { stop }: StopSignals): Promise<Result> {
    const { log, watch } = this.#deps;
    return untilContact(job, { signal: stop, log, onRetry: () => watch.executor.markProgress() });
  }
}
