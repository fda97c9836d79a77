// The workers of one scalable agent: started, watched to their end, and removed; their log is kept.
import { backOffMs } from "../../../lib/async/back-off.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { exitCodes, messageOf } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import type { Deps } from "../leader/deps.ts";
import type { Worker, WorkerHost, WorkerJob } from "./worker-host.ts";

type WorkersDeps = Pick<Deps, "log"> & {
  board: Pick<LeaderBlackboard, "keepWorkerLog">;
  host: WorkerHost;
};

/**
 * `reason` counts only where no result was posted. `not_accepted`: by its exit code it has begun
 * nothing.
 */
export type WorkerEnd = "not_accepted" | { reason: string };

export class Workers {
  readonly #deps: WorkersDeps;
  readonly #agent: AgentName;

  constructor(deps: WorkersDeps, agent: AgentName) {
    this.#deps = deps;
    this.#agent = agent;
  }

  /** Those that run, or have ended and are not removed yet. */
  async list(): Promise<Worker[]> {
    return await this.#deps.host.list(this.#agent);
  }

  /** Starts a worker, and resolves with how it ended; undefined when the signal aborts before. */
  async run(job: Omit<WorkerJob, "agent">, signal: AbortSignal): Promise<WorkerEnd | undefined> {
    const { log, host } = this.#deps;
    const agent = this.#agent;
    const { claim, attempt } = job;
    const name = host.nameOf({ agent, claim, attempt });
    const about = { agent, claim_id: claim, attempt, worker: name };
    try {
      await host.start({ agent, ...job }, signal);
      log.info("Started a worker", about);
    } catch (error) {
      if (signal.aborted) return undefined;
      // An earlier leader may have started it a moment ago.
      if (!(await host.isThere(name).catch(() => false))) {
        log.error("A worker could not be started", { ...about, error });
        return { reason: startFailureReason(error) };
      }
    }
    return await this.watch(name, job, signal);
  }

  /**
   * Waits for a worker's end, keeps its log, and removes it. Undefined when the signal aborts
   * before.
   */
  async watch(
    name: string,
    { claim, attempt }: Pick<WorkerJob, "claim" | "attempt">,
    signal: AbortSignal,
  ): Promise<WorkerEnd | undefined> {
    const exitCode = await this.#waitForEnd(name, signal);
    if (signal.aborted) return undefined;
    if (exitCode !== undefined) await this.#remove(name);
    const about = {
      agent: this.#agent,
      claim_id: claim,
      attempt,
      worker: name,
      exit_code: exitCode,
    };
    this.#deps.log.info("A worker has ended", about);
    if (exitCode === exitCodes.notAccepted) return "not_accepted";
    const end = exitCode === undefined ? "was removed" : `ended with exit code ${exitCode}`;
    return { reason: `The worker ${end} before it posted a result.` };
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
        if (!(await host.isThere(name).catch(() => true))) return undefined;
        log.warn("A worker cannot be watched; trying again", { worker: name, error, tries });
        await sleep(backOffMs(tries, { firstMs: 500, maxMs: 10_000 }), signal);
      }
    }
    return undefined;
  }

  async #remove(name: string): Promise<void> {
    const { board, log, host } = this.#deps;
    try {
      await board.keepWorkerLog(this.#agent, { worker: name, lines: await host.readLog(name) });
      await host.remove(name);
    } catch (error) {
      // It stays until `sett down`, with its log.
      log.warn("A worker could not be removed", { worker: name, error });
    }
  }
}

export function startFailureReason(error: unknown): string {
  return `The worker could not be started: ${messageOf(error)}`;
}
