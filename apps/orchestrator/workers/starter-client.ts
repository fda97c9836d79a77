// The starter of workers, as the orchestrator reaches it.
import { z } from "zod";
import { sleep } from "../../../lib/async/sleep.ts";
import { exitCodeOf, messageOf, SettError, type SettErrorCode } from "../../../lib/model/errors.ts";
import {
  type AgentName,
  ClaimId,
  type CommitHash,
  type InstanceName,
} from "../../../lib/model/ids.ts";
import { Preparation } from "../../../lib/model/prepare.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { workerName } from "../../../lib/runtime/names.ts";
import { waitMs } from "./starter-app.ts";
import type { KeptLog, Worker, WorkerHost, WorkerJob, WorkerState } from "./worker-host.ts";

const Workers = z.array(
  z.object({ name: z.string(), claim: ClaimId, attempt: z.int(), slot: z.int().nullable() }),
);
const Failed = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() });
const Found = z.object({
  id: z.string().optional(),
  has_begun: z.boolean().default(true),
  cause: z.object({ sentence: z.string(), is_disruption: z.boolean() }).optional(),
});
const Started = z.object({ is_started: z.boolean() });
const Logs = z.array(z.object({ worker: z.string(), lines: z.array(z.string()) }));

/** How long it may be away. */
const patienceMs = 30_000;
const retryMs = 250;

export class StarterClient implements WorkerHost {
  readonly #url: string;
  readonly #instance: InstanceName;

  /** `url`: without a slash at its end. */
  constructor(url: string, instance: InstanceName) {
    this.#url = url;
    this.#instance = instance;
  }

  nameOf({ agent, claim, attempt }: Pick<WorkerJob, "agent" | "claim" | "attempt">): string {
    return workerName(this.#instance, agent, claim, attempt);
  }

  async list(agent: AgentName): Promise<Worker[]> {
    const workers = Workers.parse(await this.#ask("GET", `agents/${agent}/workers`));
    return workers.map(({ slot, ...worker }) => ({ ...worker, slot: slot ?? Number.NaN }));
  }

  async start(job: WorkerJob, signal?: AbortSignal): Promise<void> {
    // It may take minutes, and no request does.
    const { agent, commit } = job;
    while (commit !== undefined && !(await this.#isReady(agent, commit, signal)));
    const order = { body: JSON.stringify(job), ...withoutUndefined({ signal }) };
    while (!Started.parse(await this.#ask("POST", "workers", order)).is_started);
  }

  async prepare(job: WorkerJob, signal?: AbortSignal): Promise<Preparation> {
    const order = { body: JSON.stringify(job), ...withoutUndefined({ signal }) };
    for (;;) {
      const answer = await this.#ask("POST", "preparations", order);
      if (Object.keys(Object(answer)).length > 0) return Preparation.parse(answer);
    }
  }

  async forgetLog(container: string): Promise<void> {
    await this.#ask("DELETE", `preparations/${container}/log`);
  }

  async #isReady(
    agent: AgentName,
    commit: CommitHash,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const path = `agents/${agent}/commits/${commit}`;
    const answer = await this.#ask("POST", path, withoutUndefined({ signal }));
    return z.object({ is_ready: z.boolean() }).parse(answer).is_ready;
  }

  async stateOf(worker: string): Promise<WorkerState | undefined> {
    const found = Found.parse(await this.#ask("GET", `workers/${worker}`));
    const { id, has_begun: hasBegun, cause } = found;
    if (id === undefined) return undefined;
    const why = cause && { sentence: cause.sentence, isDisruption: cause.is_disruption };
    return { id, hasBegun, ...withoutUndefined({ cause: why }) };
  }

  async wait(worker: string, signal: AbortSignal): Promise<number> {
    for (;;) {
      const answer = await this.#ask("GET", `workers/${worker}/end`, { signal });
      const { exit_code } = z.object({ exit_code: z.int().optional() }).parse(answer);
      if (exit_code !== undefined) return exit_code;
    }
  }

  async readLogs(worker: string): Promise<KeptLog[]> {
    return Logs.parse(await this.#ask("GET", `workers/${worker}/log`));
  }

  async remove(worker: string): Promise<void> {
    await this.#ask("DELETE", `workers/${worker}`);
  }

  /**
   * Throws what the starter throws; `docker-unreachable` where it does not answer, also not a
   * moment later.
   */
  async #ask(
    method: string,
    path: string,
    { body, signal }: { body?: string; signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const over = AbortSignal.timeout(waitMs + patienceMs);
    const ending = signal === undefined ? over : AbortSignal.any([signal, over]);
    const { isOk, answer } = await this.#send(ending, {
      method,
      path,
      ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
    });
    if (isOk) return answer;
    const { code, message, hint } = Failed.parse(answer);
    throw new SettError(isKnown(code) ? code : "internal", message, { hint });
  }

  /**
   * Again while nothing answers: the starter may just be replaced. A worker that was started before
   * is refused as `instance-taken`.
   */
  async #send(
    signal: AbortSignal,
    { path, ...request }: Sent,
  ): Promise<{ isOk: boolean; answer: unknown }> {
    const started = performance.now();
    for (;;) {
      try {
        const response = await fetch(`${this.#url}/${path}`, { ...request, signal });
        return { isOk: response.ok, answer: await response.json() };
      } catch (cause) {
        if (!signal.aborted && performance.now() - started < patienceMs) {
          await sleep(retryMs, signal);
          continue;
        }
        const hint = "`sett up` starts it again.";
        throw new SettError(
          "docker-unreachable",
          `The starter of workers does not answer: ${messageOf(cause)}`,
          { hint, cause },
        );
      }
    }
  }
}

type Sent = { method: string; path: string; body?: string; headers?: Record<string, string> };

function isKnown(code: string): code is SettErrorCode {
  return Object.hasOwn(exitCodeOf, code);
}
