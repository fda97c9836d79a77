// The loop that works, one grant at a time: read → accept → run → deliver.
import { messageOf } from "../../lib/model/errors.ts";
import type { ArtefactId, ClaimId } from "../../lib/model/ids.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { deliverResult } from "./deliver-result.ts";
import type { Ending, Parts } from "./parts.ts";
import { readTask, type Task } from "./read-grant.ts";
import { inRounds } from "./rounds.ts";
import { runGrant } from "./run-grant.ts";

export class WorkExecutor {
  readonly #parts: Parts;
  readonly #targetOf: (claim: ClaimId) => ArtefactId | undefined;
  #inHand: ClaimId | undefined;
  #ahead: { claim: ClaimId; task: Promise<Task | undefined> } | undefined;

  /** `targetOf`: the artefact that a claim is about, where it is known already. */
  constructor(parts: Parts, targetOf: (claim: ClaimId) => ArtefactId | undefined = () => undefined) {
    this.#parts = parts;
    this.#targetOf = targetOf;
  }

  /** The claim being worked on right now. */
  get inHand(): ClaimId | undefined {
    return this.#inHand;
  }

  /** Until `stop`: works off the grants it finds, then each one as it comes. Resolves when no work is under way. */
  async run(ending: Ending): Promise<void> {
    const { board, log, registration, watch } = this.#parts;
    await inRounds({ board, log, watch: watch.executor }, ending.stop, async (signal) => {
      for await (const claims of board.followGrants(registration.current.name, signal)) {
        for (const [index, claim] of claims.entries()) await this.tick(claim, ending, claims[index + 1]);
        watch.executor.rest();
      }
    });
  }

  /** One grant, from the wake-up to its result. `next` is read while this one's result is on its way. Never rejects. */
  async tick(claim: ClaimId, ending: Ending, next?: ClaimId): Promise<void> {
    if (ending.stop.aborted) return;
    this.#parts.watch.executor.turn();
    try {
      const task = await this.#read(claim, ending.stop);
      if (task === undefined || ending.stop.aborted) return;
      this.#inHand = claim;
      await this.#work(task, ending, next);
    } catch (error) {
      this.#parts.log.error("Failed to work on the claim", { claim_id: claim, error: messageOf(error) });
    } finally {
      this.#inHand = undefined;
    }
  }

  async #work(task: Task, ending: Ending, next: ClaimId | undefined): Promise<void> {
    const { id: claim_id, artefact_id } = task.claim;
    const { phase, attempt } = task.grant;
    const log = this.#parts.log.with({ claim_id, artefact_id });
    log.info("Work Executor received claim from queue", { phase, attempt });
    if (task.inputs.ok) {
      const { target, contextChain } = task.inputs.value;
      log.info("Fetched target artefact", { type: target.type, version: target.version, context: contextChain.length });
    } else log.error("Failed to fetch target artefact", { reason: task.inputs.reason });
    const result = await runGrant(this.#parts, task, ending);
    if (result === undefined) return;
    const delivery = deliverResult(this.#parts, task, result, ending);
    if (next !== undefined && !ending.stop.aborted) this.#readAhead(next);
    await delivery;
  }

  #readAhead(claim: ClaimId): void {
    const task = this.#readTask(claim);
    // Whoever awaits it hears of the failure; nobody may.
    task.catch(() => undefined);
    this.#ahead = { claim, task };
  }

  async #read(claim: ClaimId, stop: AbortSignal): Promise<Task | undefined> {
    const { log, watch } = this.#parts;
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead?.claim === claim) {
      const task = await ahead.task.catch(() => undefined);
      if (task !== undefined) return task;
    }
    return untilContact(() => this.#readTask(claim), {
      signal: stop,
      log,
      onRetry: () => watch.executor.turn(),
    });
  }

  #readTask(claim: ClaimId): Promise<Task | undefined> {
    return readTask(this.#parts.board, this.#parts.registration.current.name, claim, this.#targetOf(claim));
  }
}
