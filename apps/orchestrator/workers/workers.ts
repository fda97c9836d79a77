// The workers of one scalable agent: started, watched to their end, and removed; their log is kept.
import { backOffMs } from "../../../lib/async/back-off.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { Fenced, type LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { exitCodes, messageOf, SettError } from "../../../lib/model/errors.ts";
import type { AgentName, ClaimId } from "../../../lib/model/ids.ts";
import type { Preparation } from "../../../lib/model/prepare.ts";
import type { FileCount } from "../../../lib/model/preparing.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import type { Deps } from "../leader/deps.ts";
import type { Worker, WorkerHost, WorkerJob } from "./worker-host.ts";

type WorkersDeps = Pick<Deps, "log"> & {
  board: Pick<LeaderBlackboard, "keepWorkerLog" | "logAsLeader" | "notePreparing">;
  host: WorkerHost;
};

/**
 * `reason` counts only where no result was posted. `not_accepted`: it has begun nothing, by its
 * exit code, or because it was taken away before. `isFinal`: another worker would not begin either.
 * `isDisrupted`: the cluster has ended it. `container`: the id of its container.
 */
export type WorkerEnd =
  | "not_accepted"
  | {
      reason: string;
      isFinal?: true;
      isDisrupted?: true;
      exitCode?: number;
      container?: string;
    };

/**
 * `isWanted`: whether there is work left for a worker that has begun nothing. `onBegun` is called
 * once it is seen that it has.
 */
export type Need = { isWanted: () => Promise<boolean>; onBegun?: () => void };

/** How often that is asked. A cluster may have no room for a worker for hours. */
const askWantedEveryMs = 2_000;

const awayBackOff = { firstMs: 500, maxMs: 10_000 };

/** A webhook may be away for a moment, and a quota be full: so long a cluster is asked again. */
const refusedForMs = 30_000;

/** How often it is said that something is being prepared; what is there sooner is not spoken of. */
const reportEveryMs = 2_000;

export class Workers {
  readonly #deps: WorkersDeps;
  readonly #agent: AgentName;

  constructor(deps: WorkersDeps, agent: AgentName) {
    this.#deps = deps;
    this.#agent = agent;
  }

  /** Lists those that run, or have ended and are not removed yet. */
  async list(): Promise<Worker[]> {
    return await this.#deps.host.list(this.#agent);
  }

  /** Starts a worker, and resolves with how it ended; undefined when the signal aborts before. */
  async run(
    job: Omit<WorkerJob, "agent">,
    need: Need,
    signal: AbortSignal,
  ): Promise<WorkerEnd | undefined> {
    const { log, host } = this.#deps;
    const agent = this.#agent;
    const { claim, attempt } = job;
    const name = host.nameOf({ agent, claim, attempt });
    const about = { agent, claim_id: claim, attempt, worker: name };
    const unprepared = await this.#prepare(job, signal);
    if (unprepared !== undefined) return unprepared;
    if (signal.aborted) return undefined;
    try {
      await this.#start({ agent, ...job }, signal);
      log.info("Started a worker", about);
    } catch (error) {
      if (signal.aborted) return undefined;
      // An earlier leader may have started it a moment ago.
      if ((await host.stateOf(name).catch(() => undefined)) === undefined) {
        log.error("A worker could not be started", { ...about, error });
        const reason = startFailureReason(error);
        return isRefused(error) ? { reason, isFinal: true, isDisrupted: true } : { reason };
      }
    }
    return await this.watch(name, job, need, signal);
  }

  /** Waits for a cluster that is away, and for a while for one that makes no worker. */
  async #start(job: WorkerJob, signal: AbortSignal): Promise<void> {
    const { log, host } = this.#deps;
    const startedMs = systemClock.passedMs();
    for (let tries = 1; ; tries++) {
      try {
        return await host.start(job, signal);
      } catch (error) {
        const mayPass = isRefused(error) && systemClock.passedMs() - startedMs < refusedForMs;
        if (!isAway(error) && !mayPass) throw error;
        const { agent, claim: claim_id } = job;
        log.warn("A worker cannot be started yet; trying again", { agent, claim_id, error, tries });
        await sleep(backOffMs(tries, awayBackOff), signal);
        if (signal.aborted) throw error;
      }
    }
  }

  /** Undefined where a worker can be started: all that it shares with others is there. */
  async #prepare(
    job: Omit<WorkerJob, "agent">,
    signal: AbortSignal,
  ): Promise<{ reason: string; isFinal?: true } | undefined> {
    if (job.base === undefined) return undefined;
    const { host } = this.#deps;
    const agent = this.#agent;
    const { claim, attempt } = job;
    const over = this.#sayPreparing({ claim, agent, attempt });
    try {
      const preparation = await host.prepare({ agent, ...job }, signal);
      if (preparation.outcome === "not_needed") return undefined;
      await this.#record(preparation, job);
      if (preparation.outcome === "failed")
        return { reason: preparationFailure(preparation.reason), isFinal: true };
      return undefined;
    } catch (error) {
      if (error instanceof Fenced || signal.aborted) throw error;
      return { reason: startFailureReason(error) };
    } finally {
      over();
    }
  }

  /**
   * Once for each making, whatever becomes of the grant: it may be begun several times, also by
   * another leader. Only a leader that ends before it has said that it is on record lets the next
   * one write it again.
   */
  async #record(
    preparation: Exclude<Preparation, { outcome: "not_needed" }>,
    { claim: claim_id, goal: goal_id, attempt }: Omit<WorkerJob, "agent">,
  ): Promise<void> {
    const { board, host, log: ownLog } = this.#deps;
    const agent = this.#agent;
    const { log } = preparation;
    if (log === undefined) return;
    await board.keepWorkerLog(agent, { worker: log.container, lines: log.lines });
    if (preparation.outcome === "ready") {
      const { key, content, duration_ms } = preparation;
      const data = { attempt, key, ...content, duration_ms };
      await board.logAsLeader({ type: "workspace_prepared", goal_id, claim_id, agent, data });
    }
    await host.forgetLog(log.container).catch((error: unknown) => {
      ownLog.warn("The starter does not know what is on record", { agent, claim_id, error });
    });
  }

  /** Until the returned function is called. */
  #sayPreparing(grant: { claim: ClaimId; agent: AgentName; attempt: number }): () => void {
    const { board } = this.#deps;
    let saying: Promise<unknown> | undefined;
    const say = (progress: FileCount | "over") =>
      board.notePreparing({ ...grant, progress }).catch(() => undefined);
    const timer = setInterval(() => {
      saying = say({ files: 0, of: 0 });
    }, reportEveryMs);
    return () => {
      clearInterval(timer);
      // A word that is still under way must not come after this one.
      void saying?.then(() => say("over"));
    };
  }

  /**
   * Waits for a worker's end, keeps its log, and removes it; one that has begun nothing when it is
   * not wanted any more is removed without its end. Undefined when the signal aborts before.
   */
  async watch(
    name: string,
    { claim, attempt }: Pick<WorkerJob, "claim" | "attempt">,
    need: Need,
    signal: AbortSignal,
  ): Promise<WorkerEnd | undefined> {
    const { host, log } = this.#deps;
    const container = (await host.stateOf(name).catch(() => undefined))?.id;
    const about = { agent: this.#agent, claim_id: claim, attempt, worker: name };
    using unwanted = this.#whenUnwanted(name, need, signal);
    const exitCode = await this.#waitForEnd(name, AbortSignal.any([signal, unwanted.signal]));
    if (signal.aborted) return undefined;
    if (unwanted.signal.aborted) {
      log.info("A worker that has begun nothing is not wanted any more", about);
      await this.#remove(name, undefined, signal);
      return "not_accepted";
    }
    const { cause } = (await host.stateOf(name).catch(() => undefined)) ?? {};
    if (exitCode !== undefined) await this.#remove(name, cause?.sentence, signal);
    const how = withoutUndefined({ exit_code: exitCode, cause: cause?.sentence });
    log.info("A worker has ended", { ...about, ...how });
    if (exitCode === exitCodes.notAccepted) return "not_accepted";
    return {
      reason: endReason(exitCode, cause?.sentence),
      ...(cause?.isDisruption === true && { isDisrupted: true as const }),
      ...withoutUndefined({ exitCode, container }),
    };
  }

  /**
   * Aborts once there is no work left for the worker, and it has begun nothing: one that has begun
   * ends its work itself. Disposed of, it looks no more.
   */
  #whenUnwanted(
    name: string,
    { isWanted, onBegun }: Need,
    signal: AbortSignal,
  ): Disposable & { signal: AbortSignal } {
    const unwanted = new AbortController();
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const look = async () => {
      for (;;) {
        await sleep(askWantedEveryMs, ending);
        if (ending.aborted) return;
        const state = await this.#deps.host.stateOf(name).catch(() => undefined);
        if (state?.hasBegun === true) return onBegun?.();
        if (state !== undefined && !(await isWanted().catch(() => true))) return unwanted.abort();
      }
    };
    void look();
    return { signal: unwanted.signal, [Symbol.dispose]: () => over.abort() };
  }

  /**
   * The worker's exit code; undefined when its container does not exist any more. Waits for an
   * Engine that does not answer.
   */
  async #waitForEnd(name: string, signal: AbortSignal): Promise<number | undefined> {
    const { log, host } = this.#deps;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        return await host.wait(name, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (await this.#isGone(name)) return undefined;
        log.warn("A worker cannot be watched; trying again", { worker: name, error, tries });
        await sleep(backOffMs(tries, awayBackOff), signal);
      }
    }
    return undefined;
  }

  /** A runtime that does not answer does not say so. */
  async #isGone(name: string): Promise<boolean> {
    try {
      return (await this.#deps.host.stateOf(name)) === undefined;
    } catch {
      return false;
    }
  }

  async #remove(name: string, cause: string | undefined, signal: AbortSignal): Promise<void> {
    const { board, log, host } = this.#deps;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        const logs = await host.readLogs(name);
        // A worker that had time to end its work says only that it was stopped.
        const end = createJsonLog((line) => logs[0]?.lines.push(line), systemClock.now);
        if (cause !== undefined) end.warn("The worker was ended", { worker: name, cause });
        for (const each of logs) await board.keepWorkerLog(this.#agent, each);
        return await host.remove(name);
      } catch (error) {
        // It stays until `sett down`, with its log, unless a cluster was away.
        log.warn("A worker could not be removed", { worker: name, error });
        if (!isAway(error)) return;
        await sleep(backOffMs(tries, awayBackOff), signal);
      }
    }
  }
}

/** A sentence. `cause`: a clause. */
function endReason(exitCode: number | undefined, cause: string | undefined): string {
  if (cause !== undefined)
    return `The worker ended before it posted a result: ${cause.replace(/\.?$/, ".")}`;
  const end = exitCode === undefined ? "was removed" : `ended with exit code ${exitCode}`;
  return `The worker ${end} before it posted a result.`;
}

function preparationFailure(reason: string): string {
  return `What \`workspace.prepare\` makes could not be made: ${reason}`;
}

/** The cluster that would run workers does not answer: that is no failure of any. */
export function isAway(error: unknown): boolean {
  return error instanceof SettError && error.code === "kubernetes-unreachable";
}

/** By a quota, an admission rule or a webhook that is away: that is no failure of any worker. */
function isRefused(error: unknown): boolean {
  return error instanceof SettError && error.code === "kubernetes-failed";
}

/** A sentence. */
export function startFailureReason(error: unknown): string {
  return `The worker could not be started: ${messageOf(error).replace(/[.\s]*$/, ".")}`;
}
