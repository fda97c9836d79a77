// Redis as a process: the small Redis in memory, one request at a time, with a clock, a disk, and
// all that can happen to a server.
import { type Keys, keysOf } from "../../lib/blackboard/records/keys.ts";
import type { InstanceName } from "../../lib/model/ids.ts";
import type { Random } from "../chaos/random.ts";
import type { Database } from "../support/redis-in-memory/database.ts";
import { Refused, type Reply } from "../support/redis-in-memory/reply.ts";
import { isWrite, RedisInMemory, type Settle } from "../support/redis-in-memory/server.ts";
import { Life } from "./life.ts";
import { beginMs, type Scheduler } from "./scheduler.ts";
import type { SimulatedClient } from "./simulated-client.ts";

/** Full memory, or a full disk. */
export type Refusal = NonNullable<RedisInMemory["refusal"]>;

export class SimulatedRedis {
  readonly scheduler: Scheduler;
  readonly instance: InstanceName;
  readonly keys: Keys;
  readonly random: Random;
  readonly clients = new Set<SimulatedClient>();
  /** Programs that the network keeps away. */
  readonly cutOff = new Set<string>();
  /** How long a message is under way, at least and at most. */
  readonly latencyMs: readonly [number, number];
  readonly server: RedisInMemory;
  life: Life;
  /** Functions that fail at each call. */
  readonly outOfOrder = new Set<string>();
  /** The share of published messages that get lost. */
  messageLoss = 0;
  /** By how much its clock is ahead. */
  clockMs = 0;
  /** How often it has lost its last writes. */
  losses = 0;
  #kept: Database | undefined;
  #writesKept = 0;
  #lives = 0;
  #writes = 0;
  /** Work to do after so many requests to write. */
  readonly #afterWrites = new Map<number, (() => void)[]>();

  constructor(
    scheduler: Scheduler,
    random: Random,
    instance: InstanceName,
    latencyMs: readonly [number, number],
  ) {
    this.scheduler = scheduler;
    this.random = random;
    this.instance = instance;
    this.keys = keysOf(instance);
    this.latencyMs = latencyMs;
    this.server = new RedisInMemory(() => Math.floor(beginMs + scheduler.nowMs + this.clockMs));
    this.life = new Life("redis", this.#lives);
  }

  get isUp(): boolean {
    return this.life.isAlive;
  }

  get refusal(): Refusal | undefined {
    return this.server.refusal;
  }

  set refusal(refusal: Refusal | undefined) {
    this.server.refusal = refusal;
  }

  /** A person's hand at redis-cli: nothing refuses it, and it takes no time. */
  hand(...words: string[]): Reply {
    const { refusal } = this.server;
    this.server.refusal = undefined;
    try {
      return this.server.execute(words);
    } finally {
      this.server.refusal = refusal;
    }
  }

  /** As `request` of the server. What it does, it does in one step. */
  request(words: readonly string[], connection: number, settle: Settle): () => void {
    const [, name = ""] = words;
    for (const one of this.outOfOrder) {
      if (!name.endsWith(`_${one}`)) continue;
      settle.fail(new Refused(`ERR ${one} is out of order.`));
      return () => {};
    }
    // What a crash would lose now is what the disk does not have.
    this.server.hasUnwritten = this.#kept !== undefined && this.#writes > this.#writesKept;
    const callOff = this.server.request(words, connection, settle);
    if (isWrite(words)) this.#countWrite();
    return callOff;
  }

  afterWrites(count: number, job: () => void): void {
    this.#afterWrites.set(count, [...(this.#afterWrites.get(count) ?? []), job]);
  }

  /** Stores what a crash would leave. */
  save(): void {
    if (!this.isUp) return;
    this.#kept = this.server.database.copy();
    this.#writesKept = this.#writes;
  }

  /** The process is gone, with what was written since it saved last. */
  crash(): void {
    if (!this.isUp) return;
    this.life.end();
    if (this.#kept !== undefined) this.losses += 1;
    this.server.restart(this.#kept ?? this.server.database);
    this.#kept = undefined;
    for (const client of [...this.clients]) client.breakSoon("Socket closed unexpectedly");
  }

  restart(): void {
    if (this.isUp) return;
    this.#lives += 1;
    this.life = new Life("redis", this.#lives);
  }

  /** It answers nothing, and does later what it has got meanwhile. */
  pause(): void {
    const { life } = this;
    life.pause();
    for (const client of this.clients) {
      if (client.silenceMs === 0) continue;
      this.scheduler.after(client.silenceMs, client.life, "silence", () => {
        if (life.isPaused) client.break("Socket timeout");
      });
    }
  }

  resume(): void {
    this.scheduler.resume(this.life);
  }

  #countWrite(): void {
    this.#writes += 1;
    for (const job of this.#afterWrites.get(this.#writes) ?? []) job();
  }
}
