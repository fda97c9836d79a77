// The loop that works, one grant at a time: read → accept → run → deliver.
import { messageOf } from "../../lib/model/errors.ts";
import type { ArtefactId, ClaimId } from "../../lib/model/ids.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { deliverResult } from "./deliver-result.ts";
import type { Deps, Ending } from "./deps.ts";
import { reportOwnLosses } from "./own-losses.ts";
import { type Assignment, readAssignment, readTask } from "./read-grant.ts";
import { inRounds } from "./rounds.ts";
import { runGrant } from "./run-grant.ts";
import { tellTask } from "./tell-task.ts";

/** So many grants are read before their turn comes; payloads of 16 MiB bound how many. */
const maxReadAhead = 8;

type Reading = Promise<Assignment | undefined>;

export class WorkExecutor {
  readonly #deps: Deps;
  readonly #targetOf: (claim: ClaimId) => ArtefactId | undefined;
  #inHand: ClaimId | undefined;
  #delivery: Promise<unknown> = Promise.resolve();

  /** `targetOf`: the artefact that a claim is about, where it is known already. */
  constructor(deps: Deps, targetOf: (claim: ClaimId) => ArtefactId | undefined = () => undefined) {
    this.#deps = deps;
    this.#targetOf = targetOf;
  }

  /** The claim being worked on right now. */
  get inHand(): ClaimId | undefined {
    return this.#inHand;
  }

  /** Until `stop`: says what an earlier process has lost, works off the grants it finds, then each one as it comes. Resolves when no work is under way. */
  async run(ending: Ending): Promise<void> {
    const { board, log, registration, watch } = this.#deps;
    await reportOwnLosses(this.#deps, ending);
    await inRounds({ board, log, watch: watch.executor }, ending.stop, async (signal) => {
      for await (const claims of board.followGrants(registration.current.name, signal)) {
        await this.tick(claims, ending);
        watch.executor.rest();
      }
    });
  }

  /**
   * Works these grants off, one after the other. A result travels together with the next grant's acceptance: one round trip for each.
   * Resolves when the last result is delivered. Never rejects.
   */
  async tick(claims: readonly ClaimId[], ending: Ending): Promise<void> {
    const ahead: Reading[] = [];
    for (const [index, claim] of claims.entries()) {
      if (ending.stop.aborted) break;
      const soon = claims.slice(index + ahead.length, index + maxReadAhead);
      ahead.push(...soon.map((one) => this.#read(one, ending)));
      this.#deps.watch.executor.turn();
      await this.#workOn(claim, ahead.shift(), ending);
    }
    await this.#delivery;
  }

  async #workOn(claim: ClaimId, reading: Reading | undefined, ending: Ending): Promise<void> {
    const { board, log, contextBytes } = this.#deps;
    try {
      const assignment = await reading;
      if (assignment === undefined || ending.stop.aborted) return;
      this.#inHand = claim;
      const task = await this.#patiently(() => readTask(board, assignment, contextBytes), ending);
      tellTask(log, task);
      const result = await runGrant(this.#deps, task, ending);
      if (typeof result === "string") return;
      await this.#delivery;
      this.#delivery = deliverResult(this.#deps, task, result, ending);
    } catch (error) {
      log.error("Failed to work on the claim", { claim_id: claim, error: messageOf(error) });
    } finally {
      this.#inHand = undefined;
    }
  }

  #read(claim: ClaimId, ending: Ending): Reading {
    const { board, registration } = this.#deps;
    const target = this.#targetOf(claim);
    const reading = this.#patiently(() => readAssignment(board, registration.current.name, claim, target), ending);
    // Whoever takes it up hears of the failure; after a stop nobody does.
    reading.catch(() => undefined);
    return reading;
  }

  #patiently<Result>(job: () => Promise<Result>, { stop }: Ending): Promise<Result> {
    const { log, watch } = this.#deps;
    return untilContact(job, { signal: stop, log, onRetry: () => watch.executor.turn() });
  }
}
