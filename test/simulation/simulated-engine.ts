// The container runtime as far as the orchestrator needs it: it starts workers, each a process of
// its own that ends by itself and outlives the orchestrator that has asked for it.
import type {
  KeptLog,
  Worker,
  WorkerHost,
  WorkerJob,
  WorkerState,
} from "../../apps/orchestrator/workers/worker-host.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { InstanceName } from "../../lib/model/ids.ts";
import { workerName } from "../../lib/runtime/names.ts";
import type { Random } from "../chaos/random.ts";
import { Life } from "./life.ts";
import type { Scheduler } from "./scheduler.ts";

/** Resolves with its exit code; when it rejects, or calls `exit`, it has failed. */
export type WorkerMain = (exit: (error: unknown) => void) => Promise<number>;

type Container = {
  job: WorkerJob;
  hasBegun: boolean;
  exitCode: number | undefined;
  waiting: Set<() => void>;
};

/**
 * `end`: its process, as a kill does. `vanish`: the container, of which the engine knows nothing
 * more, while its process goes on, as on a machine that is cut off.
 */
export type RunningWorker = {
  agent: WorkerJob["agent"];
  life: Life;
  end(): void;
  vanish(): void;
};

const failed = 1;
const killed = 137;

export class SimulatedEngine implements WorkerHost {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #instance: InstanceName;
  readonly #isCluster: boolean;
  readonly #mainOf: (job: WorkerJob, name: string) => WorkerMain;
  readonly #nextNumber: () => number;
  readonly #own = new Life("engine", 0);
  readonly #containers = new Map<string, Container>();
  readonly #running = new Map<string, RunningWorker>();
  readonly #waiting: ((worker: RunningWorker) => void)[] = [];
  /** An error that answers each request meanwhile: the Engine is away, or the cluster. */
  away: SettError | undefined;

  constructor(
    {
      scheduler,
      random,
      instance,
      isCluster,
    }: { scheduler: Scheduler; random: Random; instance: InstanceName; isCluster: boolean },
    mainOf: (job: WorkerJob, name: string) => WorkerMain,
    nextNumber: () => number,
  ) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#instance = instance;
    this.#isCluster = isCluster;
    this.#mainOf = mainOf;
    this.#nextNumber = nextNumber;
  }

  /** Calls `job` with a worker that runs now, else with the next one. */
  onWorker(job: (worker: RunningWorker) => void): void {
    const [running] = this.#running.values();
    if (running === undefined) this.#waiting.push(job);
    else job(running);
  }

  nameOf({ agent, claim, attempt }: Pick<WorkerJob, "agent" | "claim" | "attempt">): string {
    return workerName(this.#instance, agent, claim, attempt);
  }

  list(agent: WorkerJob["agent"]): Promise<Worker[]> {
    const isOfAgent = ([, { job }]: [string, Container]) => job.agent === agent;
    const workerOf = ([name, { job }]: [string, Container]) => ({ name, ...job });
    return this.#ask(() => [...this.#containers].filter(isOfAgent).map(workerOf));
  }

  async prepare(): Promise<{ outcome: "not_needed" }> {
    return { outcome: "not_needed" };
  }

  async forgetLog(): Promise<void> {}

  start(job: WorkerJob): Promise<void> {
    const name = this.nameOf(job);
    return this.#ask(() => {
      if (this.#containers.has(name))
        throw new SettError("instance-taken", `There is a container ${name} already.`);
      const container: Container = {
        ...{ job, hasBegun: false, exitCode: undefined, waiting: new Set() },
      };
      this.#containers.set(name, container);
      this.#begin(name, container);
    });
  }

  stateOf(worker: string): Promise<WorkerState | undefined> {
    return this.#ask(() => {
      const container = this.#containers.get(worker);
      if (container === undefined) return undefined;
      const { hasBegun, exitCode } = container;
      const cause = { sentence: "its pod was evicted", isDisruption: true };
      const isEvicted = this.#isCluster && exitCode === killed && mayBeEvicted(container.job);
      return { id: worker, hasBegun, ...(isEvicted && { cause }) };
    });
  }

  wait(worker: string, signal: AbortSignal): Promise<number> {
    const { life } = this.#scheduler;
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#scheduler.after(this.#delay(), this.#own, "wait", () => {
        const container = this.#containers.get(worker);
        const refuse = (error: unknown) =>
          this.#scheduler.after(this.#delay(), life, "wait, refused", () => reject(error));
        const answer = () => {
          const { exitCode } = container ?? {};
          if (exitCode === undefined) refuse(missing(worker));
          else
            this.#scheduler.after(this.#delay(), life, "wait, answered", () => resolve(exitCode));
        };
        if (this.away !== undefined) refuse(this.away);
        else if (container?.exitCode === undefined && container !== undefined)
          container.waiting.add(answer);
        else answer();
      });
    });
  }

  readLogs(worker: string): Promise<KeptLog[]> {
    return this.#ask(() => [{ worker, lines: [] }]);
  }

  remove(worker: string): Promise<void> {
    return this.#ask(() => {
      if (this.#containers.get(worker)?.hasBegun === false) this.#running.get(worker)?.life.end();
      this.#containers.delete(worker);
    });
  }

  #begin(name: string, container: Container): void {
    const life = new Life(name, this.#nextNumber());
    const answerAll = () => {
      for (const answer of container.waiting) answer();
      container.waiting.clear();
    };
    const end = (exitCode: number) => {
      if (!life.isAlive) return;
      life.end();
      this.#running.delete(name);
      container.exitCode = exitCode;
      answerAll();
    };
    const vanish = () => {
      this.#running.delete(name);
      if (this.#containers.get(name) === container) this.#containers.delete(name);
      answerAll();
    };
    const worker = { agent: container.job.agent, life, end: () => end(killed), vanish };
    this.#running.set(name, worker);
    const drawn = this.#random.between(1, 20);
    const afterMs = this.#isCluster ? inClusterAfterMs(drawn) : drawn;
    this.#scheduler.after(afterMs, life, "start", () => {
      container.hasBegun = true;
      this.#mainOf(container.job, name)(() => end(failed)).then(end, () => end(failed));
    });
    for (const job of this.#waiting.splice(0)) job(worker);
  }

  /** One request and its answer, to the program that asks. */
  #ask<Result>(work: () => Result): Promise<Result> {
    const { life } = this.#scheduler;
    return new Promise((resolve, reject) => {
      this.#scheduler.after(this.#delay(), this.#own, "engine", () => {
        const answer = this.away === undefined ? settled(work) : { error: this.away };
        this.#scheduler.after(this.#delay(), life, "engine, answered", () =>
          "error" in answer ? reject(answer.error) : resolve(answer.value),
        );
      });
    });
  }

  #delay(): number {
    return this.#random.between(0.2, 3);
  }
}

/** A few wait for room. `drawn`: from 1 to 20. */
function inClusterAfterMs(drawn: number): number {
  return drawn < 19 ? drawn : (drawn - 19) * 20_000;
}

/** Half of the workers, so that both ways of a killed one are seen, and nothing more is drawn. */
function mayBeEvicted({ claim }: WorkerJob): boolean {
  return Number.parseInt(claim.slice(-1), 16) < 8;
}

function settled<Result>(work: () => Result): { value: Result } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

function missing(worker: string): SettError {
  return new SettError("docker-failed", `There is no container ${worker}.`);
}
