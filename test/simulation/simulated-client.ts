// One connection to the simulated Redis. Requests arrive in their order, and answers too; each is
// under way for a while that the scheduler chooses.
import type { Client } from "../../lib/blackboard/redis/client.ts";
import { clientOver, type Transport } from "../support/redis-in-memory/client.ts";
import type { Reply } from "../support/redis-in-memory/reply.ts";
import type { Settle } from "../support/redis-in-memory/server.ts";
import type { Life } from "./life.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";

type Pending = {
  resolve: (reply: Reply) => void;
  reject: (error: unknown) => void;
  isLost: boolean;
  cancel?: () => void;
};

/** Requests and answers of one connection keep their order. */
const apartMs = 0.001;

export class SimulatedClient implements Transport {
  readonly life: Life;
  readonly silenceMs: number;
  /** Programs see this of it. */
  readonly client: Client;
  readonly #connectMs: number;
  readonly #redis: SimulatedRedis;
  readonly #pending = new Set<Pending>();
  readonly #subscriptions: (() => void)[] = [];
  #number = 0;
  /** Of the Redis that it is connected to: what is sent reaches no later one. */
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
    this.client = clientOver(this);
  }

  /** The kernel keeps what is sent to a stopped process, which answers once it runs again. */
  connect(): Promise<void> {
    const { scheduler, cutOff, life: server } = this.#redis;
    const canAnswer = () => this.#redis.isUp && !cutOff.has(this.life.name);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (reason?: string) => {
        if (isOver) return;
        isOver = true;
        if (reason !== undefined) return reject(new Error(reason));
        this.#open();
        resolve();
      };
      const arrive = () =>
        scheduler.after(this.#delay(), this.life, "connect", () =>
          end(canAnswer() && !this.#redis.life.isPaused ? undefined : "connect ECONNREFUSED"),
        );
      if (!canAnswer() || !server.isPaused) return void arrive();
      scheduler.after(this.#delay(), server, "accept", arrive);
      scheduler.after(this.#connectMs, this.life, "connect", () => end("Connection timeout"));
    });
  }

  #open(): void {
    this.#isOpen = true;
    this.#number = this.#redis.server.connect();
    this.#server = this.#redis.life;
    this.#redis.clients.add(this);
    this.life.onEnd(() => this.#abandon());
  }

  /** Done when it arrives, in one step. Its outcome is unknown where the connection breaks. */
  send(words: readonly string[]): Promise<Reply> {
    return this.#request(nameOf(words), (settle) =>
      this.#redis.request(words, this.#number, settle),
    );
  }

  async subscribe(channel: string, receive: (text: string) => void): Promise<void> {
    const { server, random } = this.#redis;
    await this.#request("SUBSCRIBE", ({ answer }) => {
      const arrive = (text: string) => {
        if (!random.chance(this.#redis.messageLoss)) this.#deliver("message", () => receive(text));
      };
      this.#subscriptions.push(server.subscribe(channel, arrive));
      answer(null);
      return () => {};
    });
  }

  breakSoon(reason: string): void {
    this.#redis.scheduler.after(this.#delay(), this.life, "broken", () => this.break(reason));
  }

  /** The connection breaks. To be called in an event of its own program. */
  break(reason: string): void {
    if (!this.#isOpen) return;
    this.#end(reason);
    this.client.emit("error", new Error(reason));
  }

  destroy(): void {
    this.#end("Disconnects client");
  }

  #end(reason: string): void {
    this.#leave();
    for (const pending of [...this.#pending]) {
      this.#drop(pending);
      pending.reject(new Error(reason));
    }
  }

  /** Its program has crashed: no answer is of use any more. */
  #abandon(): void {
    this.#leave();
    for (const pending of [...this.#pending]) this.#drop(pending);
  }

  #leave(): void {
    this.#isOpen = false;
    this.#redis.clients.delete(this);
    for (const end of this.#subscriptions.splice(0)) end();
  }

  #drop(pending: Pending): void {
    this.#pending.delete(pending);
    pending.cancel?.();
    // Some of what was under way arrives all the same.
    pending.isLost = this.#redis.random.chance(0.5);
  }

  #request(name: string, arrive: Arrival): Promise<Reply> {
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
          this.#deliver(`${name}, answered`, () => {
            if (this.#pending.delete(pending)) job();
          });
        };
        pending.cancel = arrive({
          answer: (reply) => settle(() => resolve(reply)),
          fail: (error) => settle(() => reject(error)),
        });
      });
    });
  }

  #deliver(label: string, receive: () => void): void {
    const { scheduler } = this.#redis;
    this.#answeredAt = Math.max(this.#answeredAt + apartMs, scheduler.nowMs + this.#delay());
    scheduler.at(this.#answeredAt, this.life, label, () => {
      if (this.#isOpen) receive();
    });
  }

  #delay(): number {
    const [low, high] = this.#redis.latencyMs;
    return this.#redis.random.between(low, high);
  }
}

/** The returned function calls it off. */
type Arrival = (settle: Settle) => () => void;

function nameOf([name = "", called = ""]: readonly string[]): string {
  return name.startsWith("FCALL") ? called.slice(called.lastIndexOf("_") + 1) : name;
}
