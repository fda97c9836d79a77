// The frame of each pool of workers, whatever it reads: it occupies the places of one agent,
// watches what an earlier leader has started, and begins an attempt again that no worker has begun.
import { backOffMs } from "../../../lib/async/back-off.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import {
  type BoardAsOf,
  Fenced,
  type LeaderBlackboard,
} from "../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent } from "../../../lib/core/claim-decision.ts";
import type { Worker } from "../../../lib/core/plan-workers.ts";
import { ArtefactId, type ClaimId, type CommitHash, type GoalId } from "../../../lib/model/ids.ts";
import type { Deps } from "../leader/deps.ts";
import { Payers } from "./payers.ts";
import type { Worker as FoundWorker, WorkerHost, WorkerTemplate } from "./worker-host.ts";
import type { WorkerPlaces } from "./worker-places.ts";
import { Workers } from "./workers.ts";

export type WorkerDeps = Pick<Deps, "log"> & {
  board: Pick<
    LeaderBlackboard,
    | "asOf"
    | "followGrants"
    | "isHeld"
    | "keepWorkerLog"
    | "logAsLeader"
    | "notePreparing"
    | "readArtefact"
    | "readClaim"
    | "readContext"
    | "readHeads"
    | "readPause"
    | "readClaims"
    | "readSpending"
  >;
  host: WorkerHost;
  /** Ends an attempt on the blackboard; does nothing where it is no longer current. */
  decide: (claim: ClaimId, event: ClaimEvent, board: BoardAsOf) => Promise<unknown>;
};

/** An agent, how many workers it may have, and whether anything is prepared for them. */
export type Scale = Pick<WorkerTemplate, "agent" | "replicas" | "idleMs" | "beside"> & {
  prepare?: unknown;
};

/** All agents that have workers, and where these run. */
export type WorkersOf = { host: WorkerHost; scales: readonly Scale[] };

/**
 * How many workers are started for an attempt that none of them begins: the Engine may have been
 * restarted, or refuse for a moment.
 */
const maxStarts = 3;
const startBackOff = { firstMs: 1_000, maxMs: 10_000 };

/** `isDisrupted`: by the cluster. */
type LostAttempt = { claim: ClaimId; attempt: number; reason: string; isDisrupted?: boolean };

/** A worker that is there already, and the place that it takes. */
type Running = { found: FoundWorker; worker: Worker };

/** `start`, `watch`: until the worker has ended. `follow`: says what waits, until the end. */
type Turns = {
  running: readonly Running[];
  start: (worker: Worker, signal: AbortSignal) => Promise<void>;
  watch: (found: FoundWorker, signal: AbortSignal) => Promise<void>;
  follow: (signal: AbortSignal) => Promise<void>;
  onFree?: () => void;
};

export class PoolFrame {
  readonly workers: Workers;
  readonly payers: Payers;
  readonly #deps: WorkerDeps;
  readonly #scale: Scale;
  readonly #places: WorkerPlaces;
  /** How often a worker was started for an attempt that has not begun. */
  readonly #starts = new Map<ClaimId, number>();

  constructor(deps: WorkerDeps, scale: Scale, places: WorkerPlaces) {
    this.#deps = deps;
    this.#scale = scale;
    this.#places = places;
    this.workers = new Workers(deps, scale.agent);
    this.payers = new Payers(deps.board);
  }

  /** Workers that an earlier orchestrator has started, each with who pays for it. */
  async withPayers(found: readonly FoundWorker[]): Promise<Running[]> {
    const { agent } = this.#scale;
    return await Promise.all(
      found.map(async (one) => {
        const { claim, slot } = one;
        const goal = (await this.#deps.board.readClaim(claim))?.claim.goal_id;
        const by = goal === undefined ? "" : await this.payers.of(goal);
        return { found: one, worker: { agent, claim, slot, by } };
      }),
    );
  }

  /**
   * Runs until the signal aborts. Workers go on by themselves, and the next leader finds them.
   * Rejects with Fenced, and as `follow`.
   */
  async run({ running, start, watch, follow, onFree }: Turns, signal: AbortSignal): Promise<void> {
    const { agent, replicas, beside = 0 } = this.#scale;
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    let failure: unknown;
    const occupy = async (worker: Worker, work: Promise<void>) => {
      try {
        await work;
      } catch (error) {
        if (error instanceof Fenced) {
          failure ??= error;
          over.abort();
        }
        // A grant that is still queued is announced again.
        else if (!ending.aborted) {
          const about = { agent, claim_id: worker.claim, error };
          this.#deps.log.error("Could not run or watch a worker", about);
        }
      }
      if (ending.aborted) return;
      this.#places.free(worker);
      onFree?.();
    };
    using pool = this.#places.open(
      agent,
      {
        slots: replicas - beside,
        start: (worker) => void occupy(worker, start(worker, ending)),
      },
      running.map(({ worker }) => worker),
    );
    for (const [at, worker] of pool.workers.entries()) {
      const found = running[at]?.found;
      if (found) void occupy(worker, watch(found, ending));
    }
    try {
      await follow(ending);
    } finally {
      // The pool that begins anew watches them all.
      over.abort();
    }
    if (failure !== undefined) throw failure;
  }

  /**
   * The commit that the goal was stated on: most work begins there, or close to it. The worker
   * itself reads where it begins, and says what is wrong.
   */
  async commitOf(goal: GoalId): Promise<CommitHash | undefined> {
    const [found] = await this.#deps.board.readHeads([ArtefactId.parse(goal)]);
    return found?.head.metadata.commit;
  }

  /**
   * Rests, and resolves with undefined, where another worker may be started for an attempt that
   * none has begun; else with how many were. `isFree`: this one does not count.
   */
  async startAgain(
    { claim, ...about }: { claim: ClaimId; attempt: number; reason: string; worker?: string },
    signal: AbortSignal,
    isFree = false,
  ): Promise<number | undefined> {
    const starts = this.#starts.get(claim) ?? 1;
    if (!isFree && starts >= maxStarts) {
      this.#starts.delete(claim);
      return starts;
    }
    const { agent } = this.#scale;
    const all = { agent, claim_id: claim, ...about, starts };
    this.#deps.log.warn("A worker did not begin; starting another", all);
    await sleep(backOffMs(starts, startBackOff), signal);
    this.#starts.set(claim, starts + 1);
    return undefined;
  }

  /** The attempts of these claims have begun, or are over. */
  forgetStarts(isOver: (claim: ClaimId) => boolean): void {
    for (const claim of this.#starts.keys()) if (isOver(claim)) this.#starts.delete(claim);
  }

  /** `board`: as of the read by which it is lost. */
  async lose(
    { claim, attempt, reason, isDisrupted = false }: LostAttempt,
    board: BoardAsOf,
  ): Promise<void> {
    const { agent } = this.#scale;
    const kind = isDisrupted ? "worker_disrupted" : "worker_lost";
    await this.#deps.decide(claim, { kind, agent, attempt, reason }, board);
  }
}

/** `starts`: workers, of which none has begun. */
export function notBegun(reason: string, starts: number): string {
  return `${reason} It had not begun, in ${starts} tries.`;
}
