// Runs the workers of one scalable agent: a container for each grant, in the places that it has
// among those of all agents (docs/internals/orchestrator.md#workers). The grants on the blackboard
// say what is to be done, and the labels of containers what is being done; nothing else is stored.

import { type ClaimSnapshot, type Grant, isEnded } from "../../../lib/model/claim.ts";
import type { ClaimId, GoalId } from "../../../lib/model/ids.ts";
import { baseOf } from "./base-of.ts";
import { notBegun, PoolFrame, type Scale, type WorkerDeps } from "./pool-frame.ts";
import type { Worker as FoundWorker } from "./worker-host.ts";
import { WorkerPlaces } from "./worker-places.ts";
import { isAway, startFailureReason, type WorkerEnd } from "./workers.ts";

type Queued = {
  attempt: number;
  goal: GoalId;
  snapshot: ClaimSnapshot;
  grant: Extract<Grant, { state: "queued" }>;
};

/** How long queued grants fail before the container runtime is asked again for its workers. */
const failQueuedForMs = 2_000;

export class WorkerPool {
  readonly #deps: WorkerDeps;
  readonly #template: Scale;
  readonly #places: WorkerPlaces;
  readonly #frame: PoolFrame;

  constructor(
    deps: WorkerDeps,
    template: Scale,
    places = new WorkerPlaces([template.agent], undefined),
  ) {
    this.#deps = deps;
    this.#template = template;
    this.#places = places;
    this.#frame = new PoolFrame(deps, template, places);
  }

  /** As `PoolFrame.run`. */
  async run(signal: AbortSignal): Promise<void> {
    const found = await this.#frame.workers.list().catch(async (error: unknown) => {
      if (!isAway(error)) await this.#failQueued(error, signal);
      throw error;
    });
    await this.#frame.run(
      {
        running: await this.#frame.withPayers(found),
        start: ({ claim, slot }, ending) => this.#runWorker(claim, slot, ending),
        watch: (found, ending) => this.#watch(found, ending),
        follow: async (ending) => {
          for await (const claims of this.#deps.board.followGrants(this.#template.agent, ending)) {
            await this.#enqueue(claims);
            this.#places.fill();
          }
        },
      },
      signal,
    );
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
        if (attempt !== undefined) await this.#frame.lose({ claim, attempt, reason }, board);
      }
    }
  }

  /** A claim that is in work waits as long as its grant is queued: it is looked at after that. */
  async #enqueue(claims: readonly ClaimId[]): Promise<void> {
    const { agent } = this.#template;
    const unknown = claims.filter((claim) => !this.#places.isWaiting(agent, claim));
    if (unknown.length === 0) return;
    for (const { claim } of await this.#deps.board.readClaims(unknown))
      this.#places.add({ agent, claim: claim.id, by: await this.#frame.payers.of(claim.goal_id) });
  }

  async #watch({ name, claim, attempt }: FoundWorker, signal: AbortSignal): Promise<void> {
    const { agent } = this.#template;
    this.#deps.log.info("Found a worker", { agent, claim_id: claim, worker: name });
    const need = { isWanted: () => this.#isWanted(claim, attempt) };
    const end = await this.#frame.workers.watch(name, { claim, attempt }, need, signal);
    await this.#settle(claim, attempt, end, signal);
  }

  async #runWorker(claim: ClaimId, slot: number, signal: AbortSignal): Promise<void> {
    // Resuming the instance wakes every agent with a queued grant.
    if ((await this.#deps.board.readPause()) !== undefined) return;
    const queued = await this.#readQueued(claim);
    // A wake-up is only a hint: the grant may be running already, or its claim over.
    if (queued === undefined) return this.#forgetStarts(claim);
    const { attempt, goal } = queued;
    // So does the end of what holds it.
    if (await this.#deps.board.isHeld(goal)) return;
    const commit = await this.#frame.commitOf(goal);
    const base =
      this.#template.prepare === undefined
        ? undefined
        : await baseOf(this.#deps.board, queued.snapshot, queued.grant);
    const job = { claim, slot, attempt, goal, commit, base };
    const need = { isWanted: () => this.#isWanted(claim, attempt) };
    const end = await this.#frame.workers.run(job, need, signal);
    await this.#settle(claim, attempt, end, signal);
  }

  #forgetStarts(of: ClaimId): void {
    this.#frame.forgetStarts((claim) => claim === of);
  }

  /** Until its grant is taken away. An attempt that has ended otherwise was begun. */
  async #isWanted(claim: ClaimId, attempt: number): Promise<boolean> {
    const grants = (await this.#deps.board.readClaim(claim))?.grants ?? [];
    const grant = grants.find(({ agent }) => agent === this.#template.agent);
    return grant !== undefined && (grant.attempt !== attempt || grant.state !== "cancelled");
  }

  async #readQueued(claim: ClaimId): Promise<Queued | undefined> {
    const snapshot = await this.#deps.board.readClaim(claim);
    const grant = this.#openGrant(snapshot);
    if (snapshot === undefined || grant?.state !== "queued") return undefined;
    return { attempt: grant.attempt, goal: snapshot.claim.goal_id, snapshot, grant };
  }

  /** Undefined where the claim has ended. */
  #openGrant(snapshot: ClaimSnapshot | undefined): Grant | undefined {
    if (snapshot === undefined || isEnded(snapshot.claim.status)) return undefined;
    return snapshot.grants.find((one) => one.agent === this.#template.agent);
  }

  /**
   * An attempt that has begun is lost, because it may have had effects; for one that has not, other
   * workers are started.
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
    const { reason, isFinal = false, isDisrupted = false } = end;
    const board = this.#deps.board.asOf();
    const grant = this.#openGrant(await this.#deps.board.readClaim(claim));
    // A crash of Redis may have taken the attempt back: once it is queued anew, it begins anew.
    if (grant?.attempt !== attempt) return await this.#enqueue([claim]);
    if (grant.state !== "queued" || isFinal) {
      this.#forgetStarts(claim);
      return await this.#frame.lose({ claim, attempt, reason, isDisrupted }, board);
    }
    const starts = await this.#frame.startAgain({ claim, attempt, reason }, signal);
    if (starts === undefined) return await this.#enqueue([claim]);
    await this.#frame.lose({ claim, attempt, reason: notBegun(reason, starts) }, board);
  }
}
