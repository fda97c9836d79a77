// The agent's heartbeat on the blackboard: reported only while both loops make progress.

import { alignedMs } from "../../lib/async/aligned.ts";
import { sleep } from "../../lib/async/sleep.ts";
import { type AgentState, maxProblemLength } from "../../lib/model/agent.ts";
import { messageOf, SettError } from "../../lib/model/errors.ts";
import { withoutUndefined } from "../../lib/model/without-undefined.ts";
import { useAllProcessors } from "../../lib/process/process-one.ts";
import type { Health } from "../../lib/service/service-app.ts";
import type { Deps } from "./program/deps.ts";
import type { LoopWatch } from "./program/loop-watch.ts";
import type { WorkExecutor } from "./work/work-executor.ts";

const everyMs = 3_000;

/** How often it looks whether time has passed in which no program ran here, or Redis was away. */
const pulseMs = 1_000;
const frozenAfterMs = 5_000;

/** A loop with work makes progress every few seconds. After this time it is stuck. */
const stuckAfterMs = 30_000;

/** After this time the process ends, and the container's restart policy starts a new one. */
const exitAfterMs = 90_000;

export class Heartbeat {
  readonly #deps: Deps;
  readonly #executor: WorkExecutor | undefined;
  #pulseAtMs: number | undefined;

  /** `executor`: undefined in a cub that only bids. */
  constructor(deps: Deps, executor: WorkExecutor | undefined) {
    this.#deps = deps;
    this.#executor = executor;
  }

  /**
   * Reports until `over`. Rejects when a loop has been stuck for `exitAfterMs`, and where no work
   * may begin in this container.
   */
  async run(stop: AbortSignal, over: AbortSignal): Promise<void> {
    const pulse = setInterval(() => this.#leaveOutIdleTime(), pulseMs);
    try {
      while (!over.aborted) {
        await this.tick(stop.aborted);
        // After `stop` the next heartbeat says "stopping" at once.
        await sleep(alignedMs(everyMs, this.#deps.clock.passedMs()), stop.aborted ? over : stop);
      }
    } finally {
      clearInterval(pulse);
    }
  }

  async tick(isStopping: boolean): Promise<void> {
    const { board, clock, log, registration } = this.#deps;
    await useAllProcessors({ all: true });
    this.#leaveOutIdleTime();
    const unfit = this.#deps.unfit?.();
    if (unfit !== undefined && !isStopping && this.#executor?.isBusy !== true)
      throw new SettError("not-ready", unfit, {
        hint: "The container starts again, without what was left in its memory.",
      });
    const slowest = this.#slowest();
    if (slowest.silentMs() > exitAfterMs) {
      const seconds = Math.round(slowest.silentMs() / 1000);
      throw new SettError(
        "internal",
        `The ${slowest.name} has made no progress for ${seconds} s.`,
        {
          hint: "The container starts the cub again. The cub's log shows what it was doing.",
        },
      );
    }
    if (slowest.silentMs() > stuckAfterMs)
      return log.error(`The ${slowest.name} is stuck`, { silent_ms: slowest.silentMs() });
    const problem = await this.#cageProblem();
    const claim = this.#executor?.workingOn;
    const state = this.#state(isStopping, problem);
    const more = withoutUndefined({
      claim_id: claim,
      problem: problem?.slice(0, maxProblemLength),
    });
    const status = { at: clock.now().getTime(), state, ...more };
    // One lost heartbeat does no harm: the next one follows, and the connection itself detects that
    // Redis is away.
    await board.reportStatus(registration.current.name, status).catch((error: unknown) => {
      log.warn("Could not report the heartbeat", { error: messageOf(error) });
    });
  }

  #state(isStopping: boolean, problem: string | undefined): AgentState {
    if (isStopping) return "stopping";
    if (problem !== undefined) return "unconfined";
    if ((this.#deps.secrets?.missing() ?? []).length > 0) return "no_secrets";
    return this.#executor?.workingOn === undefined ? "idle" : "working";
  }

  /** What did not hold is tried again: a firewall may have come meanwhile. */
  async #cageProblem(): Promise<string | undefined> {
    const { cage } = this.#deps;
    if (cage?.problem !== undefined) await cage.prove();
    return cage?.problem;
  }

  health(): Health {
    this.#leaveOutIdleTime();
    const unconfined = this.#deps.cage?.problem;
    if (unconfined !== undefined) return { ok: false, reason: `It takes no work. ${unconfined}` };
    const missing = this.#deps.secrets?.missing() ?? [];
    if (missing.length > 0)
      return {
        ok: false,
        reason: `Waiting for secrets: ${missing.join(", ")}. \`sett up\` brings them.`,
      };
    const slowest = this.#slowest();
    if (slowest.silentMs() > stuckAfterMs)
      return { ok: false, reason: `The ${slowest.name} is stuck.` };
    const { board, unfit, watch } = this.#deps;
    const reason =
      board.contactProblem() ?? unfit?.() ?? watch.watcher.trouble ?? watch.executor.trouble;
    if (reason !== undefined) return { ok: false, reason };
    return { ok: true };
  }

  /**
   * After everything was stopped for minutes, no loop has made progress, and none is stuck. A loop
   * that waits for Redis is not stuck either.
   */
  #leaveOutIdleTime(): void {
    const { board, clock, watch } = this.#deps;
    const now = clock.passedMs();
    const gapMs = now - (this.#pulseAtMs ?? now);
    this.#pulseAtMs = now;
    if (gapMs <= frozenAfterMs && board.contactProblem() === undefined) return;
    watch.watcher.leaveOut(gapMs);
    watch.executor.leaveOut(gapMs);
  }

  #slowest(): LoopWatch {
    const { watcher, executor } = this.#deps.watch;
    return watcher.silentMs() > executor.silentMs() ? watcher : executor;
  }
}
