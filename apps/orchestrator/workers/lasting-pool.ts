// Runs the workers of an agent whose workers last: each works on one grant after the other, as the
// agent's own container does, and ends by itself when none has come for a while
// (docs/internals/orchestrator.md#workers). What is to be done is read from the blackboard anew in
// each turn, so that a lost event delays a worker, and no more.
import type { Doorbell } from "../../../lib/async/doorbell.ts";
import type { BoardAsOf, LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { WaitingWork, Worker } from "../../../lib/core/plan-workers.ts";
import type { ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import { exitCodes } from "../../../lib/model/errors.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { restMs } from "../leader/loops.ts";
import { notBegun, PoolFrame, type Scale, type WorkerDeps } from "./pool-frame.ts";
import type { Worker as FoundWorker } from "./worker-host.ts";
import type { WorkerPlaces } from "./worker-places.ts";
import type { WorkerEnd } from "./workers.ts";

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
  readonly #frame: PoolFrame;
  /** Workers that have begun nothing, as far as the runtime knows, in their order. */
  readonly #unbegun = new Set<string>();
  /** When a queued attempt was first seen here. */
  readonly #seen = new Map<ClaimId, { attempt: number; atMs: number }>();

  /** `bell`: rings where there may be work for the agent. */
  constructor(deps: LastingDeps, template: Scale, places: WorkerPlaces, bell: Doorbell) {
    this.#deps = deps;
    this.#template = template;
    this.#places = places;
    this.#bell = bell;
    this.#frame = new PoolFrame(deps, template, places);
  }

  /** As `PoolFrame.run`. Rejects also where the container runtime does not answer. */
  async run(signal: AbortSignal): Promise<void> {
    const known = await this.#frame.withPayers(await this.#frame.workers.list());
    const running = known.map(({ found, worker }) => ({
      found,
      worker: { ...worker, attempt: found.attempt },
    }));
    await this.#frame.run(
      {
        running,
        start: (worker, ending) => this.#start(worker, ending),
        watch: (worker, ending) => this.#watch(worker, ending),
        follow: async (ending) => {
          while (!ending.aborted) {
            await this.#tick();
            await this.#bell.wait(this.#seen.size > 0 ? overdueMs : restMs, ending);
          }
        },
        onFree: () => this.#bell.ring(),
      },
      signal,
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
          by: await this.#frame.payers.of(goal),
        });
    this.#places.replace(agent, waiting);
    this.#places.fill();
  }

  #needOf(worker: string) {
    this.#unbegun.add(worker);
    return {
      isWanted: () => this.#isWanted(worker),
      onBegun: () => void this.#unbegun.delete(worker),
    };
  }

  /**
   * Whether there is work for a worker that has begun nothing, as far as the runtime knows: each
   * takes one of what is queued, the oldest first. What runs and is no other's may be its own.
   */
  async #isWanted(worker: string): Promise<boolean> {
    const { agent, beside = 0 } = this.#template;
    const work = await this.#readWork();
    const queued = work.filter(({ grant }) => grant.state === "queued").length;
    const begun = this.#places.workersOf(agent) + beside - this.#unbegun.size;
    const unknown = Math.max(0, work.length - queued - begun);
    return [...this.#unbegun].indexOf(worker) < queued + unknown;
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
    this.#frame.forgetStarts((claim) => !attempts.has(claim));
    for (const claim of this.#seen.keys()) if (!attempts.has(claim)) this.#seen.delete(claim);
    for (const [claim, attempt] of attempts)
      if (this.#seen.get(claim)?.attempt !== attempt) this.#seen.set(claim, { attempt, atMs });
  }

  /** The claim is what it is started for, and no more: it takes whatever is queued. */
  async #start({ claim, attempt, slot }: Worker, signal: AbortSignal): Promise<void> {
    const { agent } = this.#template;
    const { host } = this.#deps;
    const queued = (await this.#readWork()).find(
      ({ claim: own, grant }) =>
        own === claim && grant.state === "queued" && grant.attempt === attempt,
    );
    if (queued === undefined || attempt === undefined) return;
    const { goal } = queued;
    const commit = await this.#frame.commitOf(goal);
    const job = { claim, slot, attempt, goal, commit };
    const name = host.nameOf({ agent, claim, attempt });
    const need = this.#needOf(name);
    const end = await this.#frame.workers.run(job, need, signal).finally(need.onBegun);
    await this.#settle({ name, claim, attempt }, end, signal);
  }

  async #watch(worker: FoundWorker, signal: AbortSignal): Promise<void> {
    const need = this.#needOf(worker.name);
    const watching = this.#frame.workers.watch(worker.name, worker, need, signal);
    const end = await watching.finally(need.onBegun);
    await this.#settle(worker, end, signal);
  }

  /**
   * Attempts that a worker has begun are lost with it. For an attempt that none has begun, others
   * are started.
   */
  async #settle(
    { name, claim, attempt }: Pick<FoundWorker, "name" | "claim" | "attempt">,
    end: WorkerEnd | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (end === undefined) return;
    const hasLeft = end === "not_accepted" || end.exitCode === exitCodes.done;
    const reason = end === "not_accepted" ? "" : end.reason;
    const board = this.#deps.board.asOf();
    const work = await this.#readWork();
    if (!hasLeft) await this.#freeLost(work, end, board);
    const isLeft = work.some(
      (one) => one.claim === claim && one.grant.state === "queued" && one.grant.attempt === attempt,
    );
    if (!isLeft) return;
    const about = { claim, worker: name, attempt, reason };
    const starts = await this.#frame.startAgain(about, signal, hasLeft);
    if (starts === undefined) return;
    const isDisrupted = end !== "not_accepted" && end.isDisrupted === true;
    const lost = { claim, attempt, reason: notBegun(reason, starts), isDisrupted };
    await this.#frame.lose(lost, board);
  }

  /**
   * The grants that a worker held when it ended, at once, and not when their leases lapse: those of
   * its container, or all, where no other container of the agent can have them.
   */
  async #freeLost(
    work: readonly Own[],
    end: Exclude<WorkerEnd, "not_accepted">,
    board: BoardAsOf,
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
      const { reason, isDisrupted = false } = end;
      await this.#frame.lose({ claim, attempt: grant.attempt, reason, isDisrupted }, board);
    }
  }
}
