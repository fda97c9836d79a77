// The loop that works, one grant at a time: read → accept → run → deliver.
import { messageOf } from "../../lib/model/errors.ts";
import type { ArtefactId, ClaimId } from "../../lib/model/ids.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { deliverResult } from "./deliver-result.ts";
import type { Deps, StopSignals } from "./deps.ts";
import { logTask } from "./log-task.ts";
import { reportLostAttempts } from "./lost-attempts.ts";
import { type Assignment, readAssignment, readTask } from "./read-grant.ts";
import { runGrant } from "./run-grant.ts";
import { runPerConnection } from "./run-per-connection.ts";

/** How many grants are read ahead; payloads of up to 16 MiB limit it. */
const maxReadAhead = 8;

/** How many results are sent whose answers have not come; payloads limit it, too. */
const maxDeliveries = 8;

type Reading = Promise<Assignment | undefined>;

export class WorkExecutor {
  readonly #deps: Deps;
  readonly #targetOf: (claim: ClaimId) => ArtefactId | undefined;
  #workingOn: ClaimId | undefined;
  readonly #deliveries = new Set<Promise<unknown>>();

  /** `targetOf`: the artefact of a claim, where it is known from the announcement. */
  constructor(deps: Deps, targetOf: (claim: ClaimId) => ArtefactId | undefined = () => undefined) {
    this.#deps = deps;
    this.#targetOf = targetOf;
  }

  /** The claim that the cub works on right now. */
  get workingOn(): ClaimId | undefined {
    return this.#workingOn;
  }

  /**
   * Until `stop`: reports attempts that an earlier process lost, works on the queued grants, then on each new one. Resolves when no work is
   * under way.
   */
  async run(signals: StopSignals): Promise<void> {
    const { board, log, registration, watch } = this.#deps;
    await reportLostAttempts(this.#deps, signals);
    await runPerConnection({ board, log, watch: watch.executor }, signals.stop, async (signal) => {
      for await (const claims of board.followGrants(registration.current.name, signal)) {
        await this.tick(claims, signals);
        watch.executor.markIdle();
      }
    });
  }

  /**
   * Works on these grants, one after the other, while results of those before are delivered. Resolves when the last result is. Never rejects.
   */
  async tick(claims: readonly ClaimId[], signals: StopSignals): Promise<void> {
    const ahead: Reading[] = [];
    for (const [index, claim] of claims.entries()) {
      if (signals.stop.aborted) break;
      const soon = claims.slice(index + ahead.length, index + maxReadAhead);
      ahead.push(...soon.map((one) => this.#read(one, signals)));
      this.#deps.watch.executor.markProgress();
      await this.#workOn(claim, ahead.shift(), signals);
    }
    await Promise.all(this.#deliveries);
  }

  async #workOn(claim: ClaimId, reading: Reading | undefined, signals: StopSignals): Promise<void> {
    const { board, log, contextBytes } = this.#deps;
    try {
      const assignment = await reading;
      if (assignment === undefined || signals.stop.aborted) return;
      this.#workingOn = claim;
      const task = await this.#untilContact(() => readTask(board, assignment, contextBytes), signals);
      logTask(log, task);
      const run = await runGrant(this.#deps, task, signals);
      if (typeof run === "string") return;
      while (this.#deliveries.size >= maxDeliveries) await Promise.race(this.#deliveries);
      const delivery = deliverResult(this.#deps, run, run.result, signals).finally(() => this.#deliveries.delete(delivery));
      this.#deliveries.add(delivery);
    } catch (error) {
      log.error("Failed to work on the claim", { claim_id: claim, error: messageOf(error) });
    } finally {
      this.#workingOn = undefined;
    }
  }

  #read(claim: ClaimId, signals: StopSignals): Reading {
    const { board, registration } = this.#deps;
    const target = this.#targetOf(claim);
    const reading = this.#untilContact(() => readAssignment(board, registration.current.name, claim, target), signals);
    // A failure is reported where the promise is awaited. After `stop` it is never awaited, and must not be an unhandled rejection.
    reading.catch(() => undefined);
    return reading;
  }

  #untilContact<Result>(job: () => Promise<Result>, { stop }: StopSignals): Promise<Result> {
    const { log, watch } = this.#deps;
    return untilContact(job, { signal: stop, log, onRetry: () => watch.executor.markProgress() });
  }
}
