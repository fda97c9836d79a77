// The cub as a whole: its two loops and its heartbeat, from start to orderly stop.
import { needsWorkers } from "../../lib/model/agent.ts";
import type { Health } from "../../lib/service/service-app.ts";
import { ClaimWatcher } from "./claim-watcher.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Parts } from "./parts.ts";
import { WorkExecutor } from "./work-executor.ts";

export class Cub {
  readonly #parts: Parts;
  readonly #shutdownTimeoutMs: number;
  readonly #watcher: ClaimWatcher;
  readonly #executor: WorkExecutor | undefined;
  readonly #heartbeat: Heartbeat;

  /** A scalable agent's persistent container only bids: what it wins is worked off by containers beside it. */
  constructor(parts: Parts, options: { shutdownTimeoutMs: number }) {
    this.#parts = parts;
    this.#shutdownTimeoutMs = options.shutdownTimeoutMs;
    this.#watcher = new ClaimWatcher(parts);
    this.#executor = needsWorkers(parts.registration.current)
      ? undefined
      : new WorkExecutor(parts, (claim) => this.#watcher.targetOf(claim));
    this.#heartbeat = new Heartbeat(parts, this.#executor);
  }

  /** Until `stop`; then what is under way may end within the shutdown timeout. Rejects when a loop is past hope. */
  async run(stop: AbortSignal): Promise<void> {
    const { log } = this.#parts;
    const kill = new AbortController();
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onStop = () => {
      log.info("Stopping", { signal: stop.reason, claim_id: this.#executor?.inHand });
      timer = setTimeout(() => kill.abort(), this.#shutdownTimeoutMs);
    };
    stop.addEventListener("abort", onStop, { once: true });
    const loops = Promise.all([this.#watcher.run(stop), this.#executor?.run({ stop, kill: kill.signal })]);
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

  health(): Health {
    return this.#heartbeat.health();
  }

  /** What it has in hand, for people who debug. */
  state(): unknown {
    const { registration, watch } = this.#parts;
    const since = this.#parts.board.contactSince();
    return {
      registration: registration.current,
      mode: this.#executor === undefined ? "bidder-only" : "standard",
      bidding_on: this.#watcher.inHand,
      working_on: this.#executor?.inHand ?? null,
      silent_ms: { watcher: watch.watcher.silentMs(), executor: watch.executor.silentMs() },
      contact_ms: since === undefined ? null : Math.round(this.#parts.clock.passedMs() - since),
    };
  }
}
