// The gateway as a whole: its calls, and the loop that keeps their reservations.
import { RecentMap } from "../../lib/async/recent-map.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { GatewayNotice } from "../../lib/blackboard/port/models.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { Health } from "../../lib/service/service-app.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { ClientError } from "./client-error.ts";
import { CountedRequests } from "./counted-requests.ts";
import type { Deps } from "./deps.ts";
import type { CallState } from "./handle-call.ts";
import { HeldBytes } from "./held-bytes.ts";
import { ModelQueue } from "./model-queue.ts";
import { OpenCalls } from "./open-calls.ts";

const maxKeysMs = 1_000;
const keysPollMs = 20;
/** A person who has run `sett up` looks for the effect at once. */
const missingKeysTickMs = 250;
/** A call of a grant that has ended holds a part of the budget until the next look. */
const busyTickMs = 500;

export class Gateway {
  readonly deps: Deps;
  readonly calls: CallState;
  readonly #queues = new Map<string, ModelQueue>();
  readonly #startedAt: string;
  #keys = new Set<string>();
  #announced = "";
  #lacksKeys = false;

  constructor(deps: Deps) {
    this.deps = deps;
    this.#startedAt = deps.clock.now().toISOString();
    this.calls = {
      open: new OpenCalls(deps),
      counted: new CountedRequests(),
      known: new RecentMap(1_000),
      held: new HeldBytes({ max: deps.limits.maxHeldBytes, agents: deps.agents.size }),
      queueOf: (model) => this.#queueOf(model),
    };
  }

  /**
   * Gives back what an earlier gateway left: only one runs. Before this no call may be made. `sett
   * up` gives the keys while the gateway starts: it waits a moment for them, so that it reports
   * them as missing only where no `sett up` brings them.
   */
  async start(signal: AbortSignal): Promise<void> {
    const { board, log } = this.deps;
    const lost = await untilContact(() => board.giveBackCalls({ all: true }), { signal, log });
    await untilContact(() => this.#freeHolds(true), { signal, log });
    if (lost > 0) log.warn("Gave back what an earlier gateway had reserved", { calls: lost });
    const last = this.deps.clock.passedMs() + maxKeysMs;
    while (
      (await this.#missingKeys()).length > 0 &&
      this.deps.clock.passedMs() < last &&
      !signal.aborted
    )
      await sleep(keysPollMs, signal);
    await untilContact(() => this.#announce(), { signal, log });
  }

  /**
   * Keeps the reservations until the signal aborts. Then it ends all calls, and resolves when their
   * ends are stored, or after `graceMs`.
   */
  async run(signal: AbortSignal, graceMs = 5_000): Promise<void> {
    const { clock, limits } = this.deps;
    let lastMs = clock.passedMs();
    while (!signal.aborted) {
      await sleep(
        Math.min(limits.tickMs, this.#lacksKeys ? missingKeysTickMs : busyTickMs),
        signal,
      );
      // A call may have begun meanwhile.
      const isDue =
        this.#lacksKeys || this.calls.open.size > 0 || clock.passedMs() - lastMs >= limits.tickMs;
      if (signal.aborted || !isDue) continue;
      await this.tick();
      lastMs = clock.passedMs();
    }
    const { open } = this.calls;
    open.stopAll(
      new ClientError(503, "gateway-stopping", "The gateway stops. Try again soon.", {
        mayRetry: true,
      }),
    );
    const last = this.deps.clock.passedMs() + graceMs;
    const patience = new AbortController();
    while (open.size > 0 && this.deps.clock.passedMs() < last) await sleep(20, patience.signal);
    open.close();
    // Without a gateway nothing is spent, and no other lets the work begin.
    await this.#freeHolds(true).catch((error: unknown) => {
      this.deps.log.warn("Could not free what budgets hold", { error: messageOf(error) });
    });
    await Promise.race([this.deps.bodies.settled(), sleep(graceMs, patience.signal)]);
    // A timer that is left keeps the program running.
    patience.abort();
  }

  async tick(): Promise<void> {
    const { log } = this.deps;
    try {
      await this.calls.open.tick();
      await this.#freeHolds(false);
      await this.#announce();
    } catch (error) {
      log.warn("Could not renew the reservations", { error: messageOf(error) });
    }
  }

  /** All, or those whose day or month is over. */
  async #freeHolds(all: boolean): Promise<void> {
    await this.deps.board.freeHolds({ all, now: this.deps.clock.now().toISOString() });
  }

  /** Whether it goes on without Redis, however long that is away. */
  get isNeeded(): boolean {
    return this.calls.open.isNeeded;
  }

  health(): Health {
    const reason = this.deps.board.contactProblem();
    return reason === undefined ? { ok: true } : { ok: false, reason };
  }

  /** No secrets: whether a key is there, and not which. */
  get state(): unknown {
    const { models, agents, goalBudget, cassette } = this.deps;
    const { open } = this.calls;
    return {
      ...(cassette === undefined ? {} : { cassettes: cassette.mode }),
      goal_budget: goalBudget,
      agents: Object.fromEntries(agents),
      models: Object.fromEntries(
        [...models].map(([name, { provider, model, needs_key }]) => {
          const queue = this.#queueOf(name);
          const key = this.#keys.has(name)
            ? "present"
            : this.#needsKey(needs_key)
              ? "missing: run `sett up`"
              : "not needed";
          return [name, { provider, model, key, running: queue.running, queued: queue.length }];
        }),
      ),
      calls: open.calls.map(({ id, agent, model, started_at, reserved }) => ({
        id,
        agent,
        model,
        started_at,
        reserved,
      })),
    };
  }

  /** A replay asks no provider. */
  #needsKey(isNeeded: boolean): boolean {
    return isNeeded && this.deps.cassette?.mode !== "replay";
  }

  #queueOf(name: string): ModelQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = new ModelQueue(this.deps.models.get(name)?.parallel ?? 1);
    this.#queues.set(name, queue);
    return queue;
  }

  /** The names of the models whose keys are not here. A replay needs none. */
  async #missingKeys(): Promise<string[]> {
    const { models, keys } = this.deps;
    const present = await keys.names();
    return [...models].flatMap(([name, { needs_key }]) =>
      this.#needsKey(needs_key) && !present.has(name) ? [name] : [],
    );
  }

  /** When the keys have come, or have gone, people can see it. */
  async #announce(): Promise<void> {
    const { board, models, agents, goalBudget, spendingLimits, keys, log, cassette } = this.deps;
    this.#keys = await keys.names();
    const notice: GatewayNotice = {
      started_at: this.#startedAt,
      goal_budget: goalBudget,
      ...(spendingLimits === undefined ? {} : { spending_limits: spendingLimits }),
      agents: Object.fromEntries(agents),
      ...(cassette === undefined ? {} : { cassettes: cassette.mode }),
      models: Object.fromEntries(
        [...models].map(([name, { provider, model, price }]) => [
          name,
          { provider, model, is_priced: price !== undefined, has_key: this.#keys.has(name) },
        ]),
      ),
    };
    const text = JSON.stringify(notice);
    if (text === this.#announced) return;
    const missing = await this.#missingKeys();
    this.#lacksKeys = missing.length > 0;
    if (missing.length > 0)
      log.warn("Keys are missing: run `sett up`", { models: missing.join(", ") });
    await board.announceGateway(notice);
    this.#announced = text;
  }
}
