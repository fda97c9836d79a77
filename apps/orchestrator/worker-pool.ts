// Runs the workers of one scalable agent: a container for each grant, never more than its replicas, first come first served (docs/internals/orchestrator.md#workers). The grants on the blackboard say what is to be done and the labels of containers what is being done; nothing else is remembered.

import { backOffMs } from "../../lib/async/back-off.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { ClaimEvent } from "../../lib/core/claim-decision.ts";
import { isEnded } from "../../lib/model/claim.ts";
import type { ClaimId, GoalId } from "../../lib/model/ids.ts";
import type { ContainerPart, ContainerRuntime } from "../../lib/runtime/port.ts";
import { type Deps, Fenced } from "./deps.ts";
import type { WorkerTemplate } from "./worker-template.ts";
import { couldNotStart, type WorkerEnd, Workers } from "./workers.ts";

/** Then the container runtime is asked again. */
const refuseForMs = 2_000;

export type WorkerParts = Pick<Deps, "board" | "log"> & {
  runtime: ContainerRuntime;
  /** Ends an attempt on the blackboard; does nothing where it is no longer current. */
  decide: (claim: ClaimId, event: ClaimEvent) => Promise<unknown>;
};

/** So often in all a worker is started for an attempt that none begins: the engine may have been restarted, or refuse for a moment. */
const maxStarts = 3;

const betweenStarts = { firstMs: 1_000, maxMs: 10_000 };

export class WorkerPool {
  readonly #deps: WorkerParts;
  readonly #template: WorkerTemplate;
  readonly #waiting: ClaimId[] = [];
  /** Slot → what runs there. Each slot has a workspace of its own. */
  readonly #busy = new Map<number, Promise<void>>();
  /** Claims whose worker is looked after, or about to be started. */
  readonly #inHand = new Set<ClaimId>();
  /** How often a worker was started for an attempt that has not begun. */
  readonly #starts = new Map<ClaimId, number>();
  readonly #workers: Workers;

  constructor(deps: WorkerParts, template: WorkerTemplate) {
    this.#deps = deps;
    this.#template = template;
    this.#workers = new Workers(deps, template);
  }

  /** Until the signal aborts; workers go on by themselves and are found again by whoever leads next. Rejects with Fenced. */
  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    let failure: unknown;
    const give = (error: unknown) => {
      failure ??= error;
      over.abort();
    };
    const found = await this.#workers.found().catch(async (error: unknown) => {
      await this.#refuse(error, signal);
      throw error;
    });
    for (const container of found) this.#adopt(container, ending, give);
    for await (const claims of this.#deps.board.followGrants(this.#template.agent, ending)) {
      for (const claim of claims) this.#wait(claim);
      this.#fill(ending, give);
    }
    if (failure !== undefined) throw failure;
  }

  /** While nobody can tell what runs, none may be started: there could be too many. What is granted fails, rather than wait in silence. */
  async #refuse(error: unknown, signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(refuseForMs)]);
    for await (const claims of this.#deps.board.followGrants(this.#template.agent, until)) {
      for (const claim of claims) {
        const { attempt } = (await this.#queued(claim)) ?? {};
        const reason = couldNotStart(error);
        if (attempt !== undefined)
          await this.#deps.decide(claim, { kind: "worker_lost", agent: this.#template.agent, attempt, reason });
      }
    }
  }

  #wait(claim: ClaimId): void {
    if (!this.#waiting.includes(claim)) this.#waiting.push(claim);
  }

  #fill(signal: AbortSignal, give: (error: unknown) => void): void {
    for (let slot = 1; slot <= this.#template.replicas; slot++) {
      if (this.#busy.has(slot) || signal.aborted) continue;
      // What is in hand is told of again as long as it is queued: its turn comes once that is settled.
      const next = this.#waiting.findIndex((claim) => !this.#inHand.has(claim));
      const [claim] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (claim !== undefined) this.#occupy(slot, claim, () => this.#work(claim, slot, signal), signal, give);
    }
  }

  #occupy(slot: number, claim: ClaimId, work: () => Promise<void>, signal: AbortSignal, give: (error: unknown) => void): void {
    this.#inHand.add(claim);
    const working = work()
      .catch((error: unknown) => {
        if (error instanceof Fenced) give(error);
        // What is still queued is told of again.
        else if (!signal.aborted)
          this.#deps.log.error("A worker could not be looked after", { agent: this.#template.agent, claim_id: claim, error });
      })
      .finally(() => {
        this.#busy.delete(slot);
        this.#inHand.delete(claim);
        this.#fill(signal, give);
      });
    this.#busy.set(slot, working);
  }

  /** A worker that an earlier orchestrator has started. */
  #adopt(container: ContainerPart, signal: AbortSignal, give: (error: unknown) => void): void {
    const { labels, name } = container;
    if (labels.component !== "worker") return;
    const { agent, attempt, claim } = labels;
    let slot = Number(container.env.SETT_WORKER_SLOT);
    while (!(slot > 0) || this.#busy.has(slot)) slot = slot > 0 ? slot + 1 : 1;
    this.#deps.log.info("Found a worker", { agent, claim_id: claim, worker: name });
    const work = async () => this.#settle(claim, attempt, await this.#workers.see(name, { claim, attempt }, signal), signal);
    this.#occupy(slot, claim, work, signal, give);
  }

  async #work(claim: ClaimId, slot: number, signal: AbortSignal): Promise<void> {
    // Whoever lets the instance go on wakes everybody again.
    if ((await this.#deps.board.readPause()) !== undefined) return;
    const queued = await this.#queued(claim);
    // A wake-up is only a hint: the grant may be running already, or its claim over.
    if (queued === undefined) {
      this.#starts.delete(claim);
      return;
    }
    const end = await this.#workers.run({ claim, slot, ...queued }, signal);
    await this.#settle(claim, queued.attempt, end, signal);
  }

  async #queued(claim: ClaimId): Promise<{ attempt: number; goal: GoalId } | undefined> {
    const snapshot = await this.#deps.board.readClaim(claim);
    const grant = snapshot?.grants.find((one) => one.agent === this.#template.agent);
    if (snapshot === undefined || isEnded(snapshot.claim.status) || grant?.state !== "queued") return undefined;
    return { attempt: grant.attempt, goal: snapshot.claim.goal_id };
  }

  /** An attempt that has begun is lost, for it may have had effects; one that has not is begun again, `maxStarts` times in all. */
  async #settle(claim: ClaimId, attempt: number, end: WorkerEnd | undefined, signal: AbortSignal): Promise<void> {
    if (end === undefined) return;
    // The instance was paused, or the grant is another's: nothing was begun, and what the blackboard says is looked at again.
    if (end === "not_accepted") {
      this.#wait(claim);
      return;
    }
    const { agent } = this.#template;
    const hasBegun = (await this.#queued(claim))?.attempt !== attempt;
    const starts = this.#starts.get(claim) ?? 1;
    if (!hasBegun && starts < maxStarts) {
      const about = { agent, claim_id: claim, attempt, starts, reason: end.reason };
      this.#deps.log.warn("A worker did not begin; starting it again", about);
      await sleep(backOffMs(starts, betweenStarts), signal);
      this.#starts.set(claim, starts + 1);
      this.#wait(claim);
      return;
    }
    this.#starts.delete(claim);
    const reason = hasBegun ? end.reason : `${end.reason} It had not begun, in ${starts} tries.`;
    await this.#deps.decide(claim, { kind: "worker_lost", agent, attempt, reason });
  }
}
