// One connection to the simulated Redis, with the few words of node-redis' client that the
// connection and the followers use. Requests arrive in their order, and answers too; each is under
// way for a while that the scheduler chooses.
import type { Life } from "./life.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";

type Pending = {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  isLost: boolean;
  cancel?: () => void;
};

/** Requests and answers of one connection keep their order. */
const apartMs = 0.001;

export class SimulatedClient {
  readonly life: Life;
  readonly silenceMs: number;
  readonly #connectMs: number;
  readonly #redis: SimulatedRedis;
  readonly #pending = new Set<Pending>();
  #onError: ((error: unknown) => void) | undefined;
  /** The life of the Redis that it is connected to: a request reaches no later one. */
  #server: Life;
  #isOpen = false;
  #sentAt = 0;
  #answeredAt = 0;

  constructor(redis: SimulatedRedis, life: Life, limits: { silenceMs: number; connectMs: number }) {
    this.#redis = redis;
    this.life = life;
    this.#server = redis.life;
    this.silenceMs = limits.silenceMs;
    this.#connectMs = limits.connectMs;
  }

  connect(): Promise<void> {
    const { scheduler, cutOff } = this.#redis;
    return new Promise((resolve, reject) => {
      const canAnswer = () => this.#redis.isUp && !cutOff.has(this.life.name);
      const isSilent = canAnswer() && this.#redis.life.isPaused;
      scheduler.after(isSilent ? this.#connectMs : this.#delay(), this.life, "connect", () => {
        if (isSilent) return reject(new Error("Connection timeout"));
        if (!canAnswer() || this.#redis.life.isPaused)
          return reject(new Error("connect ECONNREFUSED"));
        this.#isOpen = true;
        this.#server = this.#redis.life;
        this.#redis.clients.add(this);
        this.life.onEnd(() => this.#abandon());
        resolve();
      });
    });
  }

  on(event: string, listener: (error: unknown) => void): void {
    if (event === "error") this.#onError = listener;
  }

  /** The probe: a write that writes nothing. */
  set(): Promise<unknown> {
    return this.request("probe", () => null);
  }

  /**
   * `work` is done when the request arrives, in one step. Its outcome is unknown where the
   * connection breaks.
   */
  request(name: string, work: () => unknown): Promise<unknown> {
    return this.#send(name, (answer, fail) => {
      try {
        Promise.resolve(this.#redis.perform(name, work)).then(answer, fail);
      } catch (error) {
        fail(error);
      }
      return undefined;
    });
  }

  /** `look` is asked when the request arrives and after each change, until it finds something. */
  requestBlocked(look: () => readonly unknown[], maxMs: number): Promise<unknown> {
    return this.#send("block", (answer) => this.#redis.block(look, maxMs, answer));
  }

  async subscribe(_channel: string, receive: (text: string) => void): Promise<void> {
    await this.request("block subscribe", () => this.#redis.subscribe(this, receive));
  }

  /** Something arrives that was not asked for. */
  deliver(label: string, receive: () => void): void {
    const { scheduler } = this.#redis;
    this.#answeredAt = Math.max(this.#answeredAt + apartMs, scheduler.nowMs + this.#delay());
    scheduler.at(this.#answeredAt, this.life, label, () => {
      if (this.#isOpen) receive();
    });
  }

  breakSoon(reason: string): void {
    this.#redis.scheduler.after(this.#delay(), this.life, "broken", () => this.break(reason));
  }

  /** The connection breaks. To be called in an event of its own program. */
  break(reason: string): void {
    if (!this.#isOpen) return;
    const error = new Error(reason);
    this.#end(error);
    this.#onError?.(error);
  }

  destroy(): void {
    this.#end(new Error("Disconnects client"));
  }

  #end(error: Error): void {
    this.#isOpen = false;
    this.#redis.forget(this);
    for (const pending of [...this.#pending]) {
      this.#drop(pending);
      pending.reject(error);
    }
  }

  /** Its program has crashed: no answer is of use any more. */
  #abandon(): void {
    this.#isOpen = false;
    this.#redis.forget(this);
    for (const pending of [...this.#pending]) this.#drop(pending);
  }

  #drop(pending: Pending): void {
    this.#pending.delete(pending);
    pending.cancel?.();
    // Some of what was under way arrives all the same.
    pending.isLost = this.#redis.random.chance(0.5);
  }

  #send(name: string, arrive: Arrival): Promise<unknown> {
    if (!this.#isOpen) return Promise.reject(new Error("The client is closed"));
    const { scheduler } = this.#redis;
    return new Promise((resolve, reject) => {
      const pending: Pending = { resolve, reject, isLost: false };
      this.#pending.add(pending);
      this.#sentAt = Math.max(this.#sentAt + apartMs, scheduler.nowMs + this.#delay());
      scheduler.at(this.#sentAt, this.#server, name, () => {
        if (pending.isLost) return;
        const settle = (job: () => void) => {
          if (!this.#pending.has(pending)) return;
          this.deliver(`${name}, answered`, () => {
            if (this.#pending.delete(pending)) job();
          });
        };
        const cancel = arrive(
          (value) => settle(() => resolve(value)),
          (error) => settle(() => reject(error)),
        );
        if (cancel !== undefined) pending.cancel = cancel;
      });
    });
  }

  #delay(): number {
    const [low, high] = this.#redis.latencyMs;
    return this.#redis.random.between(low, high);
  }
}

type Arrival = (
  answer: (value: unknown) => void,
  fail: (error: unknown) => void,
) => (() => void) | undefined;
