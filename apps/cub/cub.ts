// The cub as a whole: its two loops and its heartbeat, from start to orderly stop.
import { worksItself } from "../../lib/model/agent.ts";
import type { Health } from "../../lib/service/service-app.ts";
import { ClaimWatcher } from "./bid/claim-watcher.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Deps } from "./program/deps.ts";
import { WorkExecutor } from "./work/work-executor.ts";

export class Cub {
  readonly #deps: Deps;
  readonly #shutdownTimeoutMs: number;
  readonly #watcher: ClaimWatcher;
  readonly #executor: WorkExecutor | undefined;
  readonly #heartbeat: Heartbeat;

  /**
   * The persistent container of an agent with workers only bids: its workers do the work that it is
   * granted.
   */
  constructor(deps: Deps, options: { shutdownTimeoutMs: number }) {
    this.#deps = deps;
    this.#shutdownTimeoutMs = options.shutdownTimeoutMs;
    this.#watcher = new ClaimWatcher(deps);
    this.#executor = worksItself(deps.registration.current) ? new WorkExecutor(deps) : undefined;
    this.#heartbeat = new Heartbeat(deps, this.#executor);
  }

  /**
   * Works until `stop`; then what is under way may end within the shutdown timeout. Rejects when a
   * loop has hung for too long.
   */
  async run(stop: AbortSignal): Promise<void> {
    const { log } = this.#deps;
    const kill = new AbortController();
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onStop = () => {
      log.info("Stopping", { signal: stop.reason, claim_id: this.#executor?.workingOn });
      timer = setTimeout(() => kill.abort(), this.#shutdownTimeoutMs);
    };
    stop.addEventListener("abort", onStop, { once: true });
    const loops = Promise.all([
      this.#watcher.run(stop),
      this.#executor?.run({ stop, kill: kill.signal }),
    ]);
    const heartbeat = this.#heartbeat.run(stop, over.signal);
    try {
      await Promise.race([loops, heartbeat]);
      over.abort();
      await heartbeat;
    } finally {
      over.abort();
      clearTimeout(timer);
      stop.removeEventListener("abort", onStop);
    }
  }

  /** It has work, or the result of some, that would be lost with it. */
  get holdsWork(): boolean {
    return this.#executor?.holdsWork === true;
  }

  health(): Health {
    return this.#heartbeat.health();
  }

  /** Shows people who debug what it is doing now. */
  state(): unknown {
    const { registration, watch } = this.#deps;
    const since = this.#deps.board.contactSince();
    return {
      registration: registration.current,
      mode: this.#executor === undefined ? "bidder-only" : "standard",
      bidding_on: this.#watcher.biddingOn,
      working_on: this.#executor?.workingOn ?? null,
      silent_ms: { watcher: watch.watcher.silentMs(), executor: watch.executor.silentMs() },
      contact_ms: since === undefined ? null : Math.round(this.#deps.clock.passedMs() - since),
    };
  }
}
