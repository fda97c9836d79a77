// The sign of life on the blackboard: given only while the loops really turn.

import { sleep } from "../../lib/async/sleep.ts";
import type { AgentState } from "../../lib/model/agent.ts";
import { messageOf, SettError } from "../../lib/model/errors.ts";
import { withoutUndefined } from "../../lib/model/without-undefined.ts";
import type { Health } from "../../lib/service/service-app.ts";
import type { Deps } from "./deps.ts";
import type { LoopWatch } from "./loop-watch.ts";
import type { WorkExecutor } from "./work-executor.ts";

const everyMs = 3_000;

/** A loop with work takes a step every few seconds; after this it is called stuck. */
const stuckAfterMs = 30_000;

/** After this nobody expects it to come round: the process ends, and its restart policy makes a new one. */
const hopelessAfterMs = 90_000;

export class Heartbeat {
  readonly #deps: Deps;
  readonly #executor: WorkExecutor | undefined;

  /** `executor` is missing in an agent that only bids. */
  constructor(deps: Deps, executor: WorkExecutor | undefined) {
    this.#deps = deps;
    this.#executor = executor;
  }

  /** Until `over`. Rejects with `internal` when a loop is past hope. */
  async run(stop: AbortSignal, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.tick(stop.aborted);
      // The beat that says "stopping" is not waited for.
      await sleep(everyMs, stop.aborted ? over : stop);
    }
  }

  async tick(isStopping: boolean): Promise<void> {
    const { board, clock, log, registration } = this.#deps;
    const slowest = this.#slowest();
    if (slowest.silentMs() > hopelessAfterMs) {
      throw new SettError("internal", `The ${slowest.name} has not turned for ${Math.round(slowest.silentMs() / 1000)} s.`, {
        hint: "The agent's container starts it again; its log shows what it was doing.",
      });
    }
    if (slowest.silentMs() > stuckAfterMs) return log.error(`The ${slowest.name} is stuck`, { silent_ms: slowest.silentMs() });
    const claim = this.#executor?.inHand;
    const state = stateOf(isStopping, claim !== undefined);
    const status = { at: clock.now().getTime(), state, ...withoutUndefined({ claim_id: claim }) };
    // A beat that gets lost is followed by the next; whether Redis is away is watched elsewhere.
    await board.reportStatus(registration.current.name, status).catch((error: unknown) => {
      log.warn("The heartbeat did not get through", { error: messageOf(error) });
    });
  }

  health(): Health {
    const slowest = this.#slowest();
    if (slowest.silentMs() > stuckAfterMs) return { ok: false, reason: `The ${slowest.name} is stuck.` };
    const problem = this.#deps.board.contactProblem();
    if (problem !== undefined) return { ok: false, reason: problem };
    return { ok: true };
  }

  #slowest(): LoopWatch {
    const { watcher, executor } = this.#deps.watch;
    return watcher.silentMs() > executor.silentMs() ? watcher : executor;
  }
}

function stateOf(isStopping: boolean, isWorking: boolean): AgentState {
  if (isStopping) return "stopping";
  return isWorking ? "working" : "idle";
}
