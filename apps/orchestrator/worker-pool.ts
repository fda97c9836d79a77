// Runs the workers of one scalable agent: a container for each grant, never more than its replicas, first come first served (DESIGN §6,
// "Modes"). The grants on the blackboard say what is to be done and the labels of containers what is being done; nothing else is remembered.
import type { ClaimEvent } from "../../lib/core/claim-decision.ts";
import { isEnded } from "../../lib/model/claim.ts";
import { exitCodes, messageOf } from "../../lib/model/errors.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import type { ContainerSpec } from "../../lib/runtime/container-spec.ts";
import { workerName, workerWorkspaceName } from "../../lib/runtime/names.ts";
import type { ContainerPart, ContainerRuntime } from "../../lib/runtime/port.ts";
import { backOffMs } from "../../lib/service/back-off.ts";
import { pause } from "../../lib/service/pause.ts";
import { Fenced, type Parts } from "./parts.ts";
import type { WorkerTemplate } from "./worker-template.ts";

/** What a worker has written is kept up to here: the last of it, which tells how it ended. */
const mostLogLines = 1_000;

/** Then the container runtime is asked again. */
const refuseForMs = 2_000;

export type WorkerParts = Pick<Parts, "board" | "log"> & {
  runtime: ContainerRuntime;
  /** Ends an attempt on the blackboard; does nothing where it is no longer current. */
  decide: (claim: ClaimId, event: ClaimEvent) => Promise<unknown>;
};

type Work = { claim: ClaimId; slot: number };

export class WorkerPool {
  readonly #parts: WorkerParts;
  readonly #template: WorkerTemplate;
  readonly #waiting: ClaimId[] = [];
  /** Slot → what runs there. Each slot has a workspace of its own. */
  readonly #busy = new Map<number, Promise<void>>();
  readonly #prepared = new Set<number>();
  /** Names of the workers being looked after. */
  readonly #seen = new Set<string>();

  constructor(parts: WorkerParts, template: WorkerTemplate) {
    this.#parts = parts;
    this.#template = template;
  }

  /** Until the signal aborts; workers go on by themselves and are found again by whoever leads next. Rejects with Fenced. */
  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    let failure: unknown;
    const give = (error: unknown) => {
      failure ??= error;
      over.abort();
    };
    const found = await this.#found().catch(async (error: unknown) => {
      await this.#refuse(error, signal);
      throw error;
    });
    for (const container of found) this.#adopt(container, ending, give);
    for await (const claims of this.#parts.board.followGrants(this.#template.agent, ending)) {
      this.#waiting.push(...claims.filter((claim) => !this.#waiting.includes(claim)));
      this.#fill(ending, give);
    }
    if (failure !== undefined) throw failure;
  }

  /** While nobody can tell what runs, none may be started: there could be too many. What is granted fails, rather than wait in silence. */
  async #refuse(error: unknown, signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(refuseForMs)]);
    for await (const claims of this.#parts.board.followGrants(this.#template.agent, until)) {
      for (const claim of claims) {
        const snapshot = await this.#parts.board.readClaim(claim);
        const grant = snapshot?.grants.find((one) => one.agent === this.#template.agent);
        if (grant?.state === "queued") await this.#giveUp(claim, grant.attempt, error);
      }
    }
  }

  #fill(signal: AbortSignal, give: (error: unknown) => void): void {
    for (let slot = 1; slot <= this.#template.replicas && this.#waiting.length > 0; slot++) {
      if (this.#busy.has(slot) || signal.aborted) continue;
      const claim = this.#waiting.shift();
      if (claim !== undefined) this.#occupy(slot, this.#work({ claim, slot }, signal), signal, give);
    }
  }

  #occupy(slot: number, work: Promise<void>, signal: AbortSignal, give: (error: unknown) => void): void {
    const working = work
      .catch((error: unknown) => {
        if (error instanceof Fenced) give(error);
        else if (!signal.aborted)
          this.#parts.log.error("A worker could not be looked after", { agent: this.#template.agent, error });
      })
      .finally(() => {
        this.#busy.delete(slot);
        this.#fill(signal, give);
      });
    this.#busy.set(slot, working);
  }

  /** A worker that an earlier orchestrator has started. */
  #adopt(container: ContainerPart, signal: AbortSignal, give: (error: unknown) => void): void {
    const { labels } = container;
    if (labels.component !== "worker") return;
    let slot = Number(container.env.SETT_WORKER_SLOT);
    while (!(slot > 0) || this.#busy.has(slot)) slot = slot > 0 ? slot + 1 : 1;
    this.#parts.log.info("Found a worker", { agent: labels.agent, claim_id: labels.claim, worker: container.name });
    this.#occupy(slot, this.#see(container.name, labels.claim, labels.attempt, signal), signal, give);
  }

  async #work({ claim, slot }: Work, signal: AbortSignal): Promise<void> {
    const { board, log, runtime } = this.#parts;
    const { agent, spec } = this.#template;
    const snapshot = await board.readClaim(claim);
    const grant = snapshot?.grants.find((one) => one.agent === agent);
    // Whoever lets the instance go on wakes everybody again.
    if ((await board.readPause()) !== undefined) return;
    // A wake-up is only a hint: the grant may be running already, or its claim over.
    if (snapshot === undefined || isEnded(snapshot.claim.status) || grant?.state !== "queued") return;
    const { attempt } = grant;
    const { instance } = spec.labels;
    const name = workerName(instance, agent, claim, attempt);
    if (this.#seen.has(name)) return;
    const about = { agent, claim_id: claim, attempt, worker: name };
    try {
      await this.#prepareWorkspace(slot);
      const labels = { ...spec.labels, component: "worker" as const, agent, claim, attempt, goal: snapshot.claim.goal_id };
      await runtime.containers.start({
        ...workerSpec(spec, claim, workerWorkspaceName(instance, agent, slot)),
        name,
        labels: { ...labels, role: "role" in spec.labels ? spec.labels.role : agent },
        env: { ...spec.env, SETT_GRANT_ATTEMPT: String(attempt), SETT_WORKER_SLOT: String(slot) },
      });
      log.info("Started a worker", about);
    } catch (error) {
      // Whoever led before may have started it a moment ago.
      if ((await runtime.containers.find(name).catch(() => undefined)) === undefined) {
        log.error("A worker could not be started", { ...about, error });
        return await this.#giveUp(claim, attempt, error);
      }
    }
    await this.#see(name, claim, attempt, signal);
  }

  async #giveUp(claim: ClaimId, attempt: number, error: unknown): Promise<void> {
    const reason = `The worker could not be started: ${messageOf(error)}`;
    await this.#parts.decide(claim, { kind: "worker_lost", agent: this.#template.agent, attempt, reason });
  }

  /** Waits for a worker's end, keeps what it has logged, takes it away, and settles a grant that it left unsettled. */
  async #see(name: string, claim: ClaimId, attempt: number, signal: AbortSignal): Promise<void> {
    const { decide, log } = this.#parts;
    const { agent } = this.#template;
    this.#seen.add(name);
    try {
      const exitCode = await this.#ended(name, signal);
      if (signal.aborted) return;
      if (exitCode !== undefined) await this.#clear(name);
      log.info("A worker has ended", { agent, claim_id: claim, attempt, worker: name, exit_code: exitCode });
      // The instance was paused, or the grant is another's: nothing was begun, and what the blackboard says is looked at again.
      if (exitCode === exitCodes.notAccepted) {
        this.#waiting.push(claim);
        return;
      }
      const end = exitCode === undefined ? "was removed" : `ended with exit code ${exitCode}`;
      await decide(claim, { kind: "worker_lost", agent, attempt, reason: `The worker ${end} before it had posted a result.` });
    } finally {
      this.#seen.delete(name);
    }
  }

  /** Its exit code; undefined when it is gone. An engine that does not answer is waited for. */
  async #ended(name: string, signal: AbortSignal): Promise<number | undefined> {
    const { log, runtime } = this.#parts;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        return await runtime.containers.wait(name, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        const found = await runtime.containers.find(name).catch(() => "unknown");
        if (found === undefined) return undefined;
        log.warn("A worker cannot be watched; trying again", { worker: name, error, tries });
        await pause(backOffMs(tries, { firstMs: 500, mostMs: 10_000 }), signal);
      }
    }
    return undefined;
  }

  async #clear(name: string): Promise<void> {
    const { board, log, runtime } = this.#parts;
    try {
      const lines: string[] = [];
      for await (const { line } of runtime.containers.logs(name, { tail: mostLogLines })) lines.push(line);
      await board.keepWorkerLog(this.#template.agent, { worker: name, lines });
      await runtime.containers.remove(name);
    } catch (error) {
      // It stays until the instance goes down, with its log.
      log.warn("A worker could not be taken away", { worker: name, error });
    }
  }

  async #prepareWorkspace(slot: number): Promise<void> {
    if (this.#prepared.has(slot)) return;
    const { runtime } = this.#parts;
    const { agent, spec } = this.#template;
    const { instance, workspace, version } = spec.labels;
    const name = workerWorkspaceName(instance, agent, slot);
    const made = await runtime.volumes.create(name, { instance, workspace, version, component: "workspace", agent });
    if (made === "created" && spec.user !== undefined) await runtime.volumes.prepare(name, spec.user, spec.image);
    this.#prepared.add(slot);
  }

  async #found(): Promise<ContainerPart[]> {
    const { agent, spec } = this.#template;
    const { containers } = await this.#parts.runtime.parts(spec.labels.instance);
    return containers.filter(({ labels }) => labels.component === "worker" && labels.agent === agent);
  }
}

/** The controller's own, but for what it runs, and where: a workspace of its own, no healthcheck, no restart. */
function workerSpec(controller: ContainerSpec, claim: ClaimId, workspaceVolume: string): ContainerSpec {
  const { healthcheck: _none, entrypoint = [], ...spec } = controller;
  return {
    ...spec,
    entrypoint: [...entrypoint, "--execute-claim", claim],
    mounts: spec.mounts.map((mount) =>
      mount.kind === "volume" && mount.target === "/workspace" ? { ...mount, volume: workspaceVolume } : mount,
    ),
    restart: "no",
  };
}
