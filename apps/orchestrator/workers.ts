// The containers of one scalable agent's workers: started from its controller's image, watched to their end, and removed; their log is
// kept.

import { backOffMs } from "../../lib/async/back-off.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { LeaderBlackboard } from "../../lib/blackboard/leading.ts";
import { exitCodes, messageOf } from "../../lib/model/errors.ts";
import type { ClaimId, GoalId } from "../../lib/model/ids.ts";
import type { ContainerSpec } from "../../lib/runtime/container-spec.ts";
import { workerName, workerWorkspaceName } from "../../lib/runtime/names.ts";
import type { ContainerPart, ContainerRuntime } from "../../lib/runtime/port.ts";
import type { Deps } from "./deps.ts";
import type { WorkerTemplate } from "./worker-template.ts";

/** So many of a worker's last lines are kept: they show how it ended. */
const maxLogLines = 1_000;

type WorkersDeps = Pick<Deps, "log"> & { board: Pick<LeaderBlackboard, "keepWorkerLog">; runtime: ContainerRuntime };

/** `reason` counts only where no result was posted. `not_accepted`: by its exit code it has begun nothing. */
export type WorkerEnd = "not_accepted" | { reason: string };

type WorkerJob = { claim: ClaimId; attempt: number; goal: GoalId; slot: number };

export class Workers {
  readonly #deps: WorkersDeps;
  readonly #template: WorkerTemplate;
  readonly #prepared = new Set<number>();

  constructor(deps: WorkersDeps, template: WorkerTemplate) {
    this.#deps = deps;
    this.#template = template;
  }

  /** Those that run, or have ended and are not removed yet. */
  async list(): Promise<ContainerPart[]> {
    const { agent, spec } = this.#template;
    const { containers } = await this.#deps.runtime.parts(spec.labels.instance);
    return containers.filter(({ labels }) => labels.component === "worker" && labels.agent === agent);
  }

  /** Starts a worker, and resolves with how it ended; undefined when the signal aborts before. */
  async run(job: WorkerJob, signal: AbortSignal): Promise<WorkerEnd | undefined> {
    const { log, runtime } = this.#deps;
    const { agent, spec } = this.#template;
    const { claim, attempt } = job;
    const name = workerName(spec.labels.instance, agent, claim, attempt);
    const about = { agent, claim_id: claim, attempt, worker: name };
    try {
      await this.#start(name, job);
      log.info("Started a worker", about);
    } catch (error) {
      // An earlier leader may have started it a moment ago.
      if ((await runtime.containers.find(name).catch(() => undefined)) === undefined) {
        log.error("A worker could not be started", { ...about, error });
        return { reason: startFailureReason(error) };
      }
    }
    return await this.watch(name, job, signal);
  }

  async #start(name: string, { claim, attempt, goal, slot }: WorkerJob): Promise<void> {
    const { agent, spec } = this.#template;
    await this.#prepareWorkspace(slot);
    const labels = { ...spec.labels, component: "worker" as const, agent, claim, attempt, goal };
    await this.#deps.runtime.containers.start({
      ...workerSpec(spec, claim, workerWorkspaceName(spec.labels.instance, agent, slot)),
      name,
      labels: { ...labels, role: "role" in spec.labels ? spec.labels.role : agent },
      env: { ...spec.env, SETT_GRANT_ATTEMPT: String(attempt), SETT_WORKER_SLOT: String(slot) },
    });
  }

  /** Waits for a worker's end, keeps its log, and removes it. Undefined when the signal aborts before. */
  async watch(
    name: string,
    { claim, attempt }: Pick<WorkerJob, "claim" | "attempt">,
    signal: AbortSignal,
  ): Promise<WorkerEnd | undefined> {
    const exitCode = await this.#waitForEnd(name, signal);
    if (signal.aborted) return undefined;
    if (exitCode !== undefined) await this.#remove(name);
    const about = { agent: this.#template.agent, claim_id: claim, attempt, worker: name, exit_code: exitCode };
    this.#deps.log.info("A worker has ended", about);
    if (exitCode === exitCodes.notAccepted) return "not_accepted";
    const end = exitCode === undefined ? "was removed" : `ended with exit code ${exitCode}`;
    return { reason: `The worker ${end} before it posted a result.` };
  }

  /** The worker's exit code; undefined when its container does not exist any more. Waits for an Engine that does not answer. */
  async #waitForEnd(name: string, signal: AbortSignal): Promise<number | undefined> {
    const { log, runtime } = this.#deps;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        return await runtime.containers.wait(name, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        const found = await runtime.containers.find(name).catch(() => "unknown");
        if (found === undefined) return undefined;
        log.warn("A worker cannot be watched; trying again", { worker: name, error, tries });
        await sleep(backOffMs(tries, { firstMs: 500, maxMs: 10_000 }), signal);
      }
    }
    return undefined;
  }

  async #remove(name: string): Promise<void> {
    const { board, log, runtime } = this.#deps;
    try {
      const lines: string[] = [];
      for await (const { line } of runtime.containers.logs(name, { tail: maxLogLines })) lines.push(line);
      await board.keepWorkerLog(this.#template.agent, { worker: name, lines });
      await runtime.containers.remove(name);
    } catch (error) {
      // It stays until `sett down`, with its log.
      log.warn("A worker could not be removed", { worker: name, error });
    }
  }

  async #prepareWorkspace(slot: number): Promise<void> {
    if (this.#prepared.has(slot)) return;
    const { runtime } = this.#deps;
    const { agent, spec } = this.#template;
    const { instance, workspace, version } = spec.labels;
    const name = workerWorkspaceName(instance, agent, slot);
    const made = await runtime.volumes.create(name, { instance, workspace, version, component: "workspace", agent });
    if (made === "created" && spec.user !== undefined) await runtime.volumes.prepare(name, spec.user, spec.image);
    this.#prepared.add(slot);
  }
}

export function startFailureReason(error: unknown): string {
  return `The worker could not be started: ${messageOf(error)}`;
}

/** The controller's specification with another entrypoint and workspace, without healthcheck and restart. */
function workerSpec(controller: ContainerSpec, claim: ClaimId, workspaceVolume: string): ContainerSpec {
  const { healthcheck: _unused, entrypoint = [], ...spec } = controller;
  return {
    ...spec,
    entrypoint: [...entrypoint, "--execute-claim", claim],
    mounts: spec.mounts.map((mount) =>
      mount.kind === "volume" && mount.target === "/workspace" ? { ...mount, volume: workspaceVolume } : mount,
    ),
    restart: "no",
  };
}
