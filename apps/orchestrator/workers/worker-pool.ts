// Runs the workers of one scalable agent: a container for each grant, in the places that it has
// among those of all agents (docs/internals/orchestrator.md#workers). The grants on the blackboard
// say what is to be done, and the labels of containers what is being done; nothing else is stored.

import { backOffMs } from "../../../lib/async/back-off.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import {
  type BoardAsOf,
  Fenced,
  type LeaderBlackboard,
} from "../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent } from "../../../lib/core/claim-decision.ts";
import type { Worker } from "../../../lib/core/plan-workers.ts";
import { type ClaimSnapshot, type Grant, isEnded } from "../../../lib/model/claim.ts";
import { ArtefactId, type ClaimId, type CommitHash, type GoalId } from "../../../lib/model/ids.ts";
import type { Deps } from "../leader/deps.ts";
import { baseOf } from "./base-of.ts";
import { Payers } from "./payers.ts";
import type { Worker as FoundWorker, WorkerHost, WorkerTemplate } from "./worker-host.ts";
import { WorkerPlaces } from "./worker-places.ts";
import { startFailureReason, type WorkerEnd, Workers } from "./workers.ts";

type Queued = {
  attempt: number;
  goal: GoalId;
  snapshot: ClaimSnapshot;
  grant: Extract<Grant, { state: "queued" }>;
};

/** How long queued grants fail before the container runtime is asked again for its workers. */
const failQueuedForMs = 2_000;

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
export const maxStarts = 3;

export const startBackOff = { firstMs: 1_000, maxMs: 10_000 };

export class WorkerPool {
  readonly #deps: WorkerDeps;
  readonly #template: Scale;
  readonly #places: WorkerPlaces;
  /** How often a worker was started for an attempt that has not begun. */
  readonly #starts = new Map<ClaimId, number>();
  readonly #workers: Workers;
  readonly #payers: Payers;

  constructor(
    deps: WorkerDeps,
    template: Scale,
    places = new WorkerPlaces([template.agent], undefined),
  ) {
    this.#deps = deps;
    this.#template = template;
    this.#places = places;
    this.#workers = new Workers(deps, template.agent);
    this.#payers = new Payers(deps.board);
  }

  /**
   * Runs until the signal aborts. Workers go on by themselves, and the next leader finds them.
   * Rejects with Fenced.
   */
  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    let failure: unknown;
    const fail = (error: unknown) => {
      failure ??= error;
      over.abort();
    };
    const running = await this.#workers.list().catch(async (error: unknown) => {
      await this.#failQueued(error, signal);
      throw error;
    });
    const { agent, replicas: slots } = this.#template;
    const start = (worker: Worker) => {
      const { claim, slot } = worker;
      this.#occupy(worker, () => this.#runWorker(claim, slot, ending), ending, fail);
    };
    const workers = await this.#workersOf(running);
    using pool = this.#places.open(agent, { slots, start }, workers);
    for (const [at, worker] of pool.workers.entries()) {
      const found = running[at];
      if (found) this.#occupy(worker, () => this.#watch(found, ending), ending, fail);
    }
    try {
      for await (const claims of this.#deps.board.followGrants(agent, ending)) {
        await this.#enqueue(claims);
        this.#places.fill();
      }
    } finally {
      // The pool that begins anew watches them all.
      over.abort();
    }
    if (failure !== undefined) throw failure;
  }

  /**
   * Without a list of the running workers none may be started: there could be too many. Queued
   * grants fail, rather than wait in silence.
   */
  async #failQueued(error: unknown, signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(failQueuedForMs)]);
    for await (const claims of this.#deps.board.followGrants(this.#template.agent, until)) {
      for (const claim of claims) {
        const board = this.#deps.board.asOf();
        const { attempt } = (await this.#readQueued(claim)) ?? {};
        const reason = startFailureReason(error);
        if (attempt !== undefined)
          await this.#deps.decide(
            claim,
            { kind: "worker_lost", agent: this.#template.agent, attempt, reason },
            board,
          );
      }
    }
  }

  /** A claim that is in work waits as long as its grant is queued: it is looked at after that. */
  async #enqueue(claims: readonly ClaimId[]): Promise<void> {
    const { agent } = this.#template;
    const unknown = claims.filter((claim) => !this.#places.isWaiting(agent, claim));
    if (unknown.length === 0) return;
    for (const { claim } of await this.#deps.board.readClaims(unknown))
      this.#places.add({ agent, claim: claim.id, by: await this.#payers.of(claim.goal_id) });
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
        // A grant that is still queued is announced again.
        else if (!signal.aborted)
          this.#deps.log.error("Could not run or watch a worker", {
            agent: this.#template.agent,
            claim_id: worker.claim,
            error,
          });
      })
      .finally(() => {
        if (!signal.aborted) this.#places.free(worker);
      });
  }

  /** Those that an earlier orchestrator has started, each with who pays for it. */
  async #workersOf(found: readonly FoundWorker[]): Promise<Worker[]> {
    const { agent } = this.#template;
    const { board } = this.#deps;
    return await Promise.all(
      found.map(async ({ claim, slot }) => {
        const goal = (await board.readClaim(claim))?.claim.goal_id;
        return { agent, claim, slot, by: goal === undefined ? "" : await this.#payers.of(goal) };
      }),
    );
  }

  async #watch({ name, claim, attempt }: FoundWorker, signal: AbortSignal): Promise<void> {
    const { agent } = this.#template;
    this.#deps.log.info("Found a worker", { agent, claim_id: claim, worker: name });
    const end = await this.#workers.watch(name, { claim, attempt }, signal);
    await this.#settle(claim, attempt, end, signal);
  }

  async #runWorker(claim: ClaimId, slot: number, signal: AbortSignal): Promise<void> {
    // Resuming the instance wakes every agent with a queued grant.
    if ((await this.#deps.board.readPause()) !== undefined) return;
    const queued = await this.#readQueued(claim);
    // A wake-up is only a hint: the grant may be running already, or its claim over.
    if (queued === undefined) {
      this.#starts.delete(claim);
      return;
    }
    const { attempt, goal } = queued;
    // So does the end of what holds it.
    if (await this.#deps.board.isHeld(goal)) return;
    const commit = await this.#commitOf(goal);
    const base =
      this.#template.prepare === undefined
        ? undefined
        : await baseOf(this.#deps.board, queued.snapshot, queued.grant);
    const end = await this.#workers.run({ claim, slot, attempt, goal, commit, base }, signal);
    await this.#settle(claim, attempt, end, signal);
  }

  /**
   * The commit that the goal was stated on: most work begins there, or close to it. The worker
   * itself reads where it begins, and says what is wrong.
   */
  async #commitOf(goal: GoalId): Promise<CommitHash | undefined> {
    const [found] = await this.#deps.board.readHeads([ArtefactId.parse(goal)]);
    return found?.head.metadata.commit;
  }

  async #readQueued(claim: ClaimId): Promise<Queued | undefined> {
    const snapshot = await this.#deps.board.readClaim(claim);
    const grant = snapshot?.grants.find((one) => one.agent === this.#template.agent);
    if (snapshot === undefined || isEnded(snapshot.claim.status) || grant?.state !== "queued")
      return undefined;
    return { attempt: grant.attempt, goal: snapshot.claim.goal_id, snapshot, grant };
  }

  /**
   * An attempt that has begun is lost, because it may have had effects; for one that has not, up to
   * `maxStarts` workers are started.
   */
  async #settle(
    claim: ClaimId,
    attempt: number,
    end: WorkerEnd | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (end === undefined) return;
    // The instance was paused, or the grant is another's: the worker has begun nothing, and the
    // stored grant is read again.
    if (end === "not_accepted") return await this.#enqueue([claim]);
    const { agent } = this.#template;
    const board = this.#deps.board.asOf();
    const hasBegun = (await this.#readQueued(claim))?.attempt !== attempt;
    const starts = this.#starts.get(claim) ?? 1;
    if (!hasBegun && end.isFinal !== true && starts < maxStarts) {
      const about = { agent, claim_id: claim, attempt, starts, reason: end.reason };
      this.#deps.log.warn("A worker did not begin; starting another", about);
      await sleep(backOffMs(starts, startBackOff), signal);
      this.#starts.set(claim, starts + 1);
      return await this.#enqueue([claim]);
    }
    this.#starts.delete(claim);
    const isClear = hasBegun || end.isFinal === true;
    const reason = isClear ? end.reason : `${end.reason} It had not begun, in ${starts} tries.`;
    await this.#deps.decide(claim, { kind: "worker_lost", agent, attempt, reason }, board);
  }
}
