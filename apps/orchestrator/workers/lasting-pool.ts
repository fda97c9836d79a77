// Runs the workers of an agent whose workers last: each works on one grant after the other, as the
// agent's own container does, and ends by itself when none has come for a while
// (docs/internals/orchestrator.md#workers). What is to be done is read from the blackboard anew in
// each turn, so that a lost event delays a worker, and no more.
import { backOffMs } from "../../../lib/async/back-off.ts";
import type { Doorbell } from "../../../lib/async/doorbell.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { Fenced, type LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { WaitingWork, Worker } from "../../../lib/core/plan-workers.ts";
import type { ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import { exitCodes } from "../../../lib/model/errors.ts";
import { ArtefactId, type ClaimId } from "../../../lib/model/ids.ts";
import { restMs } from "../leader/loops.ts";
import { Payers } from "./payers.ts";
import type { Worker as FoundWorker } from "./worker-host.ts";
import type { WorkerPlaces } from "./worker-places.ts";
import { maxStarts, type Scale, startBackOff, type WorkerDeps } from "./worker-pool.ts";
import { type WorkerEnd, Workers } from "./workers.ts";

/** A worker that rests takes work at once. What it leaves for so long needs another one. */
const overdueMs = 5_000;

export type LastingDeps = Omit<WorkerDeps, "board"> & {
  board: WorkerDeps["board"] & Pick<LeaderBlackboard, "listClaimsOf">;
  clock: { passedMs(): number };
};

type Own = { claim: ClaimId; goal: ClaimSnapshot["claim"]["goal_id"]; grant: Grant };

export class LastingPool {
  readonly #deps: LastingDeps;
  readonly #template: Scale;
  readonly #places: WorkerPlaces;
  readonly #bell: Doorbell;
  readonly #workers: Workers;
  readonly #payers: Payers;
  /** When a queued attempt was first seen here. */
  readonly #seen = new Map<ClaimId, { attempt: number; atMs: number }>();
  /** Counts the workers that were started for an attempt that has not begun. */
  readonly #starts = new Map<ClaimId, number>();

  /** `bell`: rings where there may be work for the agent. */
  constructor(deps: LastingDeps, template: Scale, places: WorkerPlaces, bell: Doorbell) {
    this.#deps = deps;
    this.#template = template;
    this.#places = places;
    this.#bell = bell;
    this.#workers = new Workers(deps, template.agent);
    this.#payers = new Payers(deps.board);
  }

  /**
   * Runs until the signal aborts. Workers go on by themselves, and the next leader finds them.
   * Rejects with Fenced, and where the container runtime does not answer.
   */
  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    let failure: unknown;
    const fail = (error: unknown) => {
      failure ??= error;
      over.abort();
      this.#bell.ring();
    };
    const { agent, replicas, beside = 0 } = this.#template;
    const running = await this.#findRunning();
    using pool = this.#places.open(
      agent,
      {
        slots: replicas - beside,
        start: (worker) => this.#occupy(worker, () => this.#start(worker, ending), ending, fail),
      },
      running.map(({ worker }) => worker),
    );
    for (const [at, worker] of pool.workers.entries()) {
      const found = running[at]?.found;
      if (found) this.#occupy(worker, () => this.#watch(found, ending), ending, fail);
    }
    try {
      while (!ending.aborted) {
        await this.#tick();
        await this.#bell.wait(this.#seen.size > 0 ? overdueMs : restMs, ending);
      }
    } finally {
      // The pool that begins anew watches them all.
      over.abort();
    }
    if (failure !== undefined) throw failure;
  }

  async #findRunning(): Promise<{ found: FoundWorker; worker: Worker }[]> {
    const { agent } = this.#template;
    const found = await this.#workers.list();
    return await Promise.all(
      found.map(async (one) => {
        const { claim, attempt, slot } = one;
        return { found: one, worker: { agent, claim, attempt, slot, by: await this.#byOf(claim) } };
      }),
    );
  }

  async #tick(): Promise<void> {
    const { agent, beside = 0 } = this.#template;
    const isPaused = (await this.#deps.board.readPause()) !== undefined;
    const work = isPaused ? [] : await this.#readWork();
    const queued = work.filter(({ grant }) => grant.state === "queued");
    this.#forgetOthers(queued);
    const running = work.length - queued.length;
    // One that starts has no grant yet, and takes the first that it finds.
    const resting = Math.max(0, this.#places.workersOf(agent) + beside - running);
    const nowMs = this.#deps.clock.passedMs();
    const rest = queued.filter(
      ({ claim }, place) =>
        place >= resting || nowMs - (this.#seen.get(claim)?.atMs ?? nowMs) >= overdueMs,
    );
    const waiting: WaitingWork[] = [];
    for (const { claim, goal, grant } of rest)
      if (!(await this.#deps.board.isHeld(goal)))
        waiting.push({
          ...{ agent, claim, attempt: grant.attempt },
          by: await this.#payers.of(goal),
        });
    this.#places.replace(agent, waiting);
    this.#places.fill();
  }

  /** The agent's queued and running grants, the one that was queued first before the others. */
  async #readWork(): Promise<Own[]> {
    const { agent } = this.#template;
    const { board } = this.#deps;
    const snapshots = await board.readClaims(await board.listClaimsOf(agent, "work"));
    return snapshots
      .flatMap(({ claim, grants }) =>
        grants.flatMap((grant) =>
          grant.agent === agent && (grant.state === "queued" || grant.state === "running")
            ? [{ claim: claim.id, goal: claim.goal_id, grant }]
            : [],
        ),
      )
      .toSorted((one, other) => one.grant.queued_at.localeCompare(other.grant.queued_at));
  }

  #forgetOthers(queued: readonly Own[]): void {
    const atMs = this.#deps.clock.passedMs();
    const attempts = new Map(queued.map(({ claim, grant }) => [claim, grant.attempt]));
    for (const claim of this.#starts.keys()) if (!attempts.has(claim)) this.#starts.delete(claim);
    for (const claim of this.#seen.keys()) if (!attempts.has(claim)) this.#seen.delete(claim);
    for (const [claim, attempt] of attempts)
      if (this.#seen.get(claim)?.attempt !== attempt) this.#seen.set(claim, { attempt, atMs });
  }

  #occupy(
    worker: Worker,
    work: () => Promise<void>,
    signal: AbortSignal,
    fail: (error: unknown) => void,
  ): void {
    work()
      .catch((error: unknown) => {
        if (error instanceof Fenced) fail(error);
        else if (!signal.aborted)
          this.#deps.log.error("Could not run or watch a worker", {
            agent: worker.agent,
            claim_id: worker.claim,
            error,
          });
      })
      .finally(() => {
        if (signal.aborted) return;
        this.#places.free(worker);
        this.#bell.ring();
      });
  }

  async #byOf(claim: ClaimId): Promise<string> {
    const goal = (await this.#deps.board.readClaim(claim))?.claim.goal_id;
    return goal === undefined ? "" : await this.#payers.of(goal);
  }

  /** The claim is what it is started for, and no more: it takes whatever is queued. */
  async #start({ claim, attempt, slot }: Worker, signal: AbortSignal): Promise<void> {
    const { agent } = this.#template;
    const { board, host } = this.#deps;
    const queued = (await this.#readWork()).find(
      ({ claim: own, grant }) =>
        own === claim && grant.state === "queued" && grant.attempt === attempt,
    );
    if (queued === undefined || attempt === undefined) return;
    const { goal } = queued;
    const [found] = await board.readHeads([ArtefactId.parse(goal)]);
    const commit = found?.head.metadata.commit;
    const end = await this.#workers.run({ claim, slot, attempt, goal, commit }, signal);
    const name = host.nameOf({ agent, claim, attempt });
    await this.#settle({ name, claim, attempt }, end, signal);
  }

  async #watch(worker: FoundWorker, signal: AbortSignal): Promise<void> {
    const end = await this.#workers.watch(worker.name, worker, signal);
    await this.#settle(worker, end, signal);
  }

  /**
   * Attempts that a worker has begun are lost with it. For an attempt that none has begun, up to
   * `maxStarts` are started.
   */
  async #settle(
    { name, claim, attempt }: Pick<FoundWorker, "name" | "claim" | "attempt">,
    end: WorkerEnd | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (end === undefined) return;
    const { log } = this.#deps;
    const { agent } = this.#template;
    const about = { agent, claim_id: claim, worker: name };
    const hasLeft = end === "not_accepted" || end.exitCode === exitCodes.done;
    const reason = end === "not_accepted" ? "" : end.reason;
    const work = await this.#readWork();
    if (!hasLeft) await this.#freeLost(work, end, reason);
    const isLeft = work.some(
      (one) => one.claim === claim && one.grant.state === "queued" && one.grant.attempt === attempt,
    );
    if (!isLeft) return;
    const starts = this.#starts.get(claim) ?? 1;
    if (hasLeft || starts < maxStarts) {
      log.warn("A worker did not begin; starting another", { ...about, attempt, starts, reason });
      await sleep(backOffMs(starts, startBackOff), signal);
      this.#starts.set(claim, starts + 1);
      return;
    }
    this.#starts.delete(claim);
    const text = `${reason} It had not begun, in ${starts} tries.`;
    const event = { kind: "worker_lost" as const, agent, attempt, reason: text };
    await this.#deps.decide(claim, event, this.#deps.board.asOf());
  }

  /**
   * The grants that a worker held when it ended, at once, and not when their leases lapse: those of
   * its container, or all, where no other container of the agent can have them.
   */
  async #freeLost(
    work: readonly Own[],
    end: Exclude<WorkerEnd, "not_accepted">,
    reason: string,
  ): Promise<void> {
    const { agent, beside = 0 } = this.#template;
    // It has not started, and had none.
    if (end.exitCode === undefined && end.container === undefined) return;
    const isAlone = beside === 0 && this.#places.workersOf(agent) <= 1;
    for (const { claim, grant } of work) {
      if (grant.state !== "running") continue;
      const container = grant.run_by?.container;
      const isOfIt = container !== undefined && container === end.container;
      if (!isOfIt && !isAlone) continue;
      const event = { kind: "worker_lost" as const, agent, attempt: grant.attempt, reason };
      await this.#deps.decide(claim, event, this.#deps.board.asOf());
    }
  }
}
