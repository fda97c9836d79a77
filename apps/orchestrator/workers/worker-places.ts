// The places of workers, of all agents together: pools say what waits and what runs, and the plan
// (lib/core/plan-workers.ts) says for which work a pool starts a worker.
import { planWorkers, type WaitingWork, type Worker } from "../../../lib/core/plan-workers.ts";
import type { AgentName } from "../../../lib/model/ids.ts";

/** `start`: begins a worker's work, and frees its place when that has ended. */
type Pool = { slots: number; start: (worker: Worker) => void };

type Opened = Pool & { waiting: WaitingWork[]; workers: Set<Worker> };

export class WorkerPlaces {
  readonly #limit: number | undefined;
  readonly #agents: readonly AgentName[];
  readonly #pools = new Map<AgentName, Opened>();

  /** `agents`: all that have workers. `limit`: of all workers; undefined where there is none. */
  constructor(agents: readonly AgentName[], limit: number | undefined) {
    this.#agents = agents;
    this.#limit = limit;
  }

  /**
   * From now on the workers of this agent are known: `running`, in their order. With a limit, none
   * is started before those of all agents are: there could be too many. Disposed of, the pool
   * starts no more.
   */
  open(
    agent: AgentName,
    pool: Pool,
    running: readonly Worker[] = [],
  ): Disposable & { workers: Worker[] } {
    const opened: Opened = { ...pool, waiting: [], workers: new Set<Worker>() };
    const workers = running.map((found) => adopt(found, opened.workers));
    this.#pools.set(agent, opened);
    return {
      workers,
      [Symbol.dispose]: () => {
        if (this.#pools.get(agent) === opened) this.#pools.delete(agent);
      },
    };
  }

  /** A worker has ended: its place is free. */
  free(worker: Worker): void {
    this.#pools.get(worker.agent)?.workers.delete(worker);
    this.fill();
  }

  /** Adds work at the end. What waits already keeps its place. */
  add(work: WaitingWork): void {
    const { waiting } = this.#poolOf(work.agent);
    if (!waiting.some(({ claim }) => claim === work.claim)) waiting.push(work);
  }

  /** All that waits for a worker of the agent, in its order. */
  replace(agent: AgentName, waiting: readonly WaitingWork[]): void {
    this.#poolOf(agent).waiting = [...waiting];
  }

  workersOf(agent: AgentName): number {
    return this.#pools.get(agent)?.workers.size ?? 0;
  }

  isWaiting(agent: AgentName, claim: WaitingWork["claim"]): boolean {
    return this.#pools.get(agent)?.waiting.some((work) => work.claim === claim) === true;
  }

  /** Starts what there is room for. */
  fill(): void {
    const pools = [...this.#pools];
    if (this.#limit !== undefined && this.#agents.some((agent) => !this.#pools.has(agent))) return;
    const { starts } = planWorkers({
      scales: pools.map(([agent, { slots }]) => ({ agent, slots })),
      limit: this.#limit,
      waiting: pools.flatMap(([, { waiting }]) => waiting),
      workers: pools.flatMap(([, { workers }]) => [...workers]),
    });
    for (const worker of starts) {
      const pool = this.#poolOf(worker.agent);
      pool.waiting = pool.waiting.filter(({ claim }) => claim !== worker.claim);
      pool.workers.add(worker);
    }
    for (const worker of starts) this.#poolOf(worker.agent).start(worker);
  }

  #poolOf(agent: AgentName): Opened {
    const pool = this.#pools.get(agent);
    if (pool === undefined) throw new Error(`The pool of ${agent} is not open.`);
    return pool;
  }
}

/** A worker that runs already. Without a slot of its own it gets one, also beyond the others. */
function adopt(found: Worker, workers: Set<Worker>): Worker {
  const taken = new Set([...workers].map(({ slot }) => slot));
  let slot = found.slot > 0 ? found.slot : 1;
  while (taken.has(slot)) slot += 1;
  const worker = { ...found, slot };
  workers.add(worker);
  return worker;
}
