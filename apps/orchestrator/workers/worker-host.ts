// The place where workers run: started from the instance's templates, watched and removed, and
// nothing else. In containers it is the starter, which alone has the Engine's socket
// (starter-app.ts, starter-client.ts); without containers the orchestrator itself.

import { SettError } from "../../../lib/model/errors.ts";
import type { AgentName, ClaimId, CommitHash, GoalId } from "../../../lib/model/ids.ts";
import { mayBeOutput } from "../../../lib/model/output-line.ts";
import type { Preparation, PrepareBase } from "../../../lib/model/prepare.ts";
import { sizeText } from "../../../lib/model/size-text.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { labelsFor } from "../../../lib/runtime/labels.ts";
import { lineOf } from "../../../lib/runtime/log-line.ts";
import {
  isSidecarOf,
  isWorkerName,
  serviceBeside,
  storeVolumeName,
  workerBeside,
  workerName,
  workerWorkspaceName,
} from "../../../lib/runtime/names.ts";
import type { ContainerPart, EndCause, Workers } from "../../../lib/runtime/port.ts";
import type { LayeredWorkspaces } from "./layered-workspaces.ts";
import {
  type PreparedLayers,
  type PreparedTemplate,
  type PreparedVolume,
  withPrepared,
} from "./prepared-layers.ts";

/**
 * `agent`'s controller as `sett up` plans it: its workers get the same image, environment, mounts
 * and limits.
 */
export type WorkerTemplate = {
  agent: AgentName;
  replicas: number;
  spec: ContainerSpec;
  prepare?: PreparedTemplate;
  /** Each of its workers lasts: it ends when no work has come for so long. */
  idleMs?: number;
  /** So long after its start it takes no more work. */
  turnMs?: number;
  /** So many of the replicas are containers of `sett up`, beside which workers work. */
  beside?: number;
};

/**
 * `slot`: from 1 to the agent's replicas; each has a workspace of its own. `commit`: at which its
 * work is likely to begin. `base`: where it begins, for agents for which something is prepared.
 */
export type WorkerJob = {
  agent: AgentName;
  claim: ClaimId;
  attempt: number;
  goal: GoalId;
  slot: number;
  commit?: CommitHash | undefined;
  base?: PrepareBase | undefined;
};

/** `slot` is NaN where it is not known. */
export type Worker = { name: string; claim: ClaimId; attempt: number; slot: number };

/**
 * `id`: of its container. `hasBegun`: its program runs, or has run. `cause`: why it has ended,
 * where that is known and was not by itself.
 */
export type WorkerState = { id: string; hasBegun: boolean; cause?: EndCause };

/** `worker`: the name of its container, or of that of a service. */
export type KeptLog = { worker: string; lines: string[] };

/**
 * A worker is named by its container. Every method throws SettError `docker-unreachable` or
 * `docker-failed` as the runtime does.
 */
export type WorkerHost = {
  nameOf(job: Pick<WorkerJob, "agent" | "claim" | "attempt">): string;
  /** Lists those that run, or have ended and are not removed yet. */
  list(agent: AgentName): Promise<Worker[]>;
  /**
   * Resolves once what `workspace.prepare` of the agent makes is there for the job, or cannot be
   * made, which may take as long as it says.
   */
  prepare(job: WorkerJob, signal?: AbortSignal): Promise<Preparation>;
  /**
   * The log of such a container is on record: no answer of `prepare` has it any more. Nothing is
   * fine.
   */
  forgetLog(container: string): Promise<void>;
  /**
   * Throws `instance-taken` where there is such a worker already, and `image-not-found`. It may
   * wait for minutes, unless the signal aborts: what was begun goes on, and another call waits for
   * the same.
   */
  start(job: WorkerJob, signal?: AbortSignal): Promise<void>;
  /** Undefined where it is not there. */
  stateOf(worker: string): Promise<WorkerState | undefined>;
  /** Its exit code, once it has ended. */
  wait(worker: string, signal: AbortSignal): Promise<number>;
  /** The last lines of the worker, and of each service beside it. */
  readLogs(worker: string): Promise<KeptLog[]>;
  remove(worker: string): Promise<void>;
};

/** So many of a worker's last lines are kept: they show how it ended. */
const maxLogLines = 1_000;
/** Those of its command are among them. */
const readLines = 20 * maxLogLines;

/** On a runtime of this process. */
export class RuntimeHost implements WorkerHost {
  readonly #runtime: Workers;
  readonly #templates: ReadonlyMap<AgentName, WorkerTemplate>;
  readonly #prepared = new Set<string>();
  /** Worker → its start, until a caller knows how it went. */
  readonly #starting = new Map<string, Promise<void>>();
  readonly #layered: LayeredWorkspaces | undefined;
  readonly #preparedLayers: PreparedLayers | undefined;

  /** `layered`, `prepared`: where workers may share checkouts, and what is prepared for them. */
  constructor(
    runtime: Workers,
    templates: readonly WorkerTemplate[],
    { layered, prepared }: { layered?: LayeredWorkspaces; prepared?: PreparedLayers } = {},
  ) {
    this.#runtime = runtime;
    this.#layered = layered;
    this.#preparedLayers = prepared;
    this.#templates = new Map(templates.map((template) => [template.agent, template]));
  }

  nameOf({ agent, claim, attempt }: Pick<WorkerJob, "agent" | "claim" | "attempt">): string {
    return workerName(this.#template(agent).spec.labels.instance, agent, claim, attempt);
  }

  /**
   * Whether a worker of a template can have that name. Nothing else is asked of the Engine: a name
   * becomes a part of an address there.
   */
  canBe(worker: string): boolean {
    return [...this.#templates.values()].some(({ agent, spec }) =>
      isWorkerName(worker, spec.labels.instance, agent),
    );
  }

  async list(agent: AgentName): Promise<Worker[]> {
    const { containers } = await this.#runtime.parts(this.#template(agent).spec.labels.instance);
    await this.#removeLeft(agent, containers);
    return containers.flatMap(({ name, labels, env }) => {
      if (labels.component !== "worker" || labels.agent !== agent) return [];
      return [
        { name, claim: labels.claim, attempt: labels.attempt, slot: Number(env.SETT_WORKER_SLOT) },
      ];
    });
  }

  /** Services for a worker that never came: its start was cut. */
  async #removeLeft(agent: AgentName, containers: readonly ContainerPart[]): Promise<void> {
    const left = containers.filter(({ name, labels }) => {
      if (labels.component !== "sidecar" || labels.agent !== agent) return false;
      const worker = workerBeside(name) ?? "";
      return !this.#starting.has(worker) && !containers.some((one) => one.name === worker);
    });
    await Promise.all(left.map(({ name }) => this.#runtime.remove(name)));
  }

  /** Resolves when `start` has nothing to wait for, where the work begins at that commit. */
  async layReady(agent: AgentName, commit: CommitHash): Promise<void> {
    await this.#layered?.prepare(this.#template(agent).spec, commit);
  }

  async prepare(job: Omit<WorkerJob, "slot">): Promise<Preparation> {
    const { prepare } = this.#template(job.agent);
    if (prepare === undefined || job.base === undefined || this.#preparedLayers === undefined)
      return { outcome: "not_needed" };
    return await this.#preparedLayers.ready(prepare, job.base, job);
  }

  async forgetLog(container: string): Promise<void> {
    this.#preparedLayers?.forgetLog(container);
  }

  async start(job: WorkerJob, signal?: AbortSignal): Promise<void> {
    const name = this.nameOf(job);
    const starting = this.#starting.get(name) ?? this.#begin(job);
    this.#starting.set(name, starting);
    // Its failure is the callers', who wait for it.
    starting.catch(() => undefined);
    try {
      await unlessAborted(starting, signal);
    } finally {
      if (signal?.aborted !== true) this.#starting.delete(name);
    }
  }

  async #begin(job: WorkerJob): Promise<void> {
    const { agent, claim, attempt, goal, slot, commit, base } = job;
    const { spec, replicas, prepare, idleMs, turnMs } = this.#template(agent);
    if (slot > replicas)
      throw new SettError("usage", `${agent} has ${replicas} workers, and no slot ${slot}.`);
    const labels = { ...spec.labels, component: "worker" as const, agent, claim, attempt, goal };
    const worker = {
      ...workerSpec(spec, claim, workerWorkspaceName(spec.labels.instance, agent, slot)),
      name: this.nameOf(job),
      labels: { ...labels, role: "role" in spec.labels ? spec.labels.role : agent },
      env: {
        ...spec.env,
        SETT_GRANT_ATTEMPT: String(attempt),
        SETT_WORKER_SLOT: String(slot),
        ...(idleMs !== undefined && { SETT_WORKER_IDLE: `${idleMs}ms` }),
        ...(turnMs !== undefined && { SETT_WORKER_TURN: `${turnMs}ms` }),
      },
    };
    const start = async (prepared?: PreparedVolume) => {
      if (commit !== undefined && (await this.#layered?.start(worker, agent, commit, prepared)))
        return;
      await this.#prepareWorkspace(agent, slot);
      await this.#runtime.start(prepared === undefined ? worker : withPrepared(worker, prepared));
    };
    if (prepare === undefined || base === undefined || this.#preparedLayers === undefined)
      return await start();
    await this.#preparedLayers.holding(prepare, base, start);
  }

  /** The id is that of its host name: of the container whose network it shares. */
  async stateOf(worker: string): Promise<WorkerState | undefined> {
    const found = await this.#find(worker);
    if (found === undefined) return undefined;
    return {
      id: found.sharesNetworkOf ?? found.id,
      hasBegun: found.state.state !== "created",
      ...withoutUndefined({ cause: causeOfEnd(found) }),
    };
  }

  async wait(worker: string, signal: AbortSignal): Promise<number> {
    await this.#need(worker);
    return await this.#runtime.wait(worker, signal);
  }

  async readLogs(worker: string): Promise<KeptLog[]> {
    const found = await this.#need(worker);
    // `sett up` may have changed what is beside the agent's next workers.
    const hasSidecars = found.sharesNetworkOf !== undefined || this.#hasSidecars(found);
    const beside = !hasSidecars
      ? []
      : (await this.#runtime.parts(found.labels.instance)).containers.filter(({ name }) =>
          isSidecarOf(name, worker),
        );
    return await Promise.all(
      [found, ...beside].map(async (part) => ({
        worker: part.name,
        lines: await this.#linesOf(part),
      })),
    );
  }

  async #linesOf(part: ContainerPart): Promise<string[]> {
    const lines: string[] = [];
    // What its command has printed is kept by the recorder.
    for await (const said of this.#runtime.logs(part.name, { tail: readLines }))
      if (!mayBeOutput(said.line)) lines.push(lineOf(part, said));
    const end = part.labels.component === "sidecar" ? endOf(part) : [];
    return [...lines, ...end].slice(-maxLogLines);
  }

  async remove(worker: string): Promise<void> {
    const found = await this.#find(worker);
    if (found === undefined) return;
    await this.#runtime.remove(worker);
    this.#layered?.release(found.env);
  }

  /** Undefined also for what is no worker of these templates. */
  async #find(worker: string): Promise<ContainerPart | undefined> {
    if (!this.canBe(worker)) return undefined;
    const found = await this.#runtime.find(worker);
    if (found?.labels.component !== "worker") return undefined;
    const template = this.#templates.get(found.labels.agent);
    return template?.spec.labels.instance === found.labels.instance ? found : undefined;
  }

  async #need(worker: string): Promise<ContainerPart> {
    const found = await this.#find(worker);
    if (found !== undefined) return found;
    throw new SettError("docker-failed", `There is no worker ${worker}.`);
  }

  #hasSidecars({ labels }: ContainerPart): boolean {
    return (
      labels.component === "worker" && this.#template(labels.agent).spec.sidecars !== undefined
    );
  }

  #template(agent: AgentName): WorkerTemplate {
    const template = this.#templates.get(agent);
    if (template !== undefined) return template;
    throw new SettError("agent-not-found", `${agent} has no workers.`);
  }

  async #prepareWorkspace(agent: AgentName, slot: number): Promise<void> {
    const { spec } = this.#template(agent);
    // With the instance's id: what bears none would be a stranger's for the next `sett up`.
    const { instance } = spec.labels;
    const name = workerWorkspaceName(instance, agent, slot);
    if (this.#prepared.has(name)) return;
    const labels = labelsFor(spec.labels, { component: "workspace", agent });
    const volume = { labels, image: spec.image, ...withoutUndefined({ owner: spec.user }) };
    await this.#runtime.makeVolume({ ...volume, name });
    const store = storeVolumeName(name);
    const hasStore = workerMounts(spec, name).some(
      (mount) => mount.kind === "volume" && mount.volume === store,
    );
    if (hasStore) await this.#runtime.makeVolume({ ...volume, name: store });
    this.#prepared.add(name);
  }
}

async function unlessAborted(work: Promise<void>, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  const over = Promise.withResolvers<never>();
  const end = () => over.reject(signal.reason);
  signal.addEventListener("abort", end);
  try {
    await Promise.race([work, over.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

const killed = 137;

function causeOfEnd({
  problem,
  state,
  isOutOfMemory,
  memoryBytes,
}: ContainerPart): EndCause | undefined {
  if (problem !== undefined) {
    const { sentence, isDisruption = false } = problem;
    return { sentence, isDisruption };
  }
  if (!isOutOfMemory || state.state !== "exited" || state.exitCode !== killed) return undefined;
  return { sentence: wantOfMemory(memoryBytes), isDisruption: false };
}

/** Says how a service has ended before its worker was removed. */
function endOf(part: ContainerPart): string[] {
  const { state, name, isOutOfMemory, memoryBytes } = part;
  if (state.state !== "exited") return [];
  const { endedAt: time, exitCode } = state;
  const cause = isOutOfMemory ? { cause: wantOfMemory(memoryBytes) } : {};
  const about = { service: serviceBeside(name), exit_code: exitCode, ...cause };
  return [JSON.stringify({ time, level: "warn", msg: "A service has ended", ...about })];
}

function wantOfMemory(memoryBytes: number | undefined): string {
  const limit = memoryBytes === undefined ? "" : ` (its limit is ${sizeText(memoryBytes)})`;
  return `it was killed for want of memory${limit}`;
}

/**
 * The controller's specification with another entrypoint and workspace, without restart and health
 * check, also that of its image.
 */
function workerSpec(
  controller: ContainerSpec,
  claim: ClaimId,
  workspaceVolume: string,
): ContainerSpec {
  const { entrypoint = [], ...spec } = controller;
  return {
    ...spec,
    healthcheck: "none",
    entrypoint: [...entrypoint, "--execute-claim", claim],
    mounts: workerMounts(spec, workspaceVolume),
    restart: "no",
  };
}

/** The workspace of its slot, and the copy of the store beside it where the agent has one. */
function workerMounts({ mounts }: ContainerSpec, workspaceVolume: string): ContainerSpec["mounts"] {
  const own = mounts.find(({ target }) => target === "/workspace");
  const workspaceOf = own?.kind === "volume" ? own.volume : "";
  const volumes = new Map([
    [workspaceOf, workspaceVolume],
    [storeVolumeName(workspaceOf), storeVolumeName(workspaceVolume)],
  ]);
  return mounts.map((mount) =>
    mount.kind === "volume"
      ? { ...mount, volume: volumes.get(mount.volume) ?? mount.volume }
      : mount,
  );
}
