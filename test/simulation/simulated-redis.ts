// Redis as a process: the blackboard's twin, one request at a time, with a clock, a disk, and all
// that can happen to a server.
import { ErrorReply } from "redis";
import { contactOf } from "../../lib/blackboard/memory/contact.ts";
import { handOf, openHandle } from "../../lib/blackboard/memory/create.ts";
import { State } from "../../lib/blackboard/memory/state.ts";
import type { Announcement, Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import type { ClaimId, InstanceName } from "../../lib/model/ids.ts";
import type { Random } from "../chaos/random.ts";
import { copyState } from "./copy-state.ts";
import { Life } from "./life.ts";
import { beginMs, type Scheduler } from "./scheduler.ts";
import { SimulatedClient } from "./simulated-client.ts";

/** Full memory, or a full disk. */
export type Refusal = "OOM" | "MISCONF";

/**
 * The functions that their flags let pass while memory is full
 * (lib/blackboard/redis/function-library.ts).
 */
const passesWithoutMemory = new Set([
  "renewLease",
  "renewCalls",
  "endCall",
  "retireGoal",
  "removeOfGoal",
  "logEvent",
  "answerMail",
  "dropMail",
  "reopenMail",
  "acquireLeaderLease",
  "logAsLeader",
  "oweEvent",
  "settleOwed",
  "takeWakeUps",
]);
const reads =
  /^(?:hasWritten$|read|list(?!Queued)|find|count|endOf|answersOf|claimsOfArtefact|isRetired|time$|block)/;

/**
 * In the place of an announcement that was lost with the last writes, so that later ones have later
 * places.
 */
const lost: Announcement = {
  claim: "" as ClaimId,
  artefact_id: "" as Announcement["artefact_id"],
  type: "",
  produced_by_role: "",
  missing: [],
};

type Blocked = { look: () => readonly unknown[]; answer: (batch: readonly unknown[]) => void };

export class SimulatedRedis {
  readonly scheduler: Scheduler;
  readonly instance: InstanceName;
  readonly random: Random;
  readonly clients = new Set<SimulatedClient>();
  /** Programs that the network keeps away. */
  readonly cutOff = new Set<string>();
  /** How long a message is under way, at least and at most. */
  readonly latencyMs: readonly [number, number];
  state: State;
  life: Life;
  refusal: Refusal | undefined;
  /** Functions that fail at each call. */
  readonly outOfOrder = new Set<string>();
  /** The share of published hints that get lost. */
  hintLoss = 0;
  /** By how much its clock is ahead. */
  clockMs = 0;
  /** How often it has lost its last writes. */
  losses = 0;
  #kept: State | undefined;
  #handles = new Map<string, Blackboard>();
  readonly #blocked = new Set<Blocked>();
  readonly #subscribers = new Map<SimulatedClient, (text: string) => void>();
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
    this.latencyMs = latencyMs;
    this.state = new State(() => Math.floor(beginMs + scheduler.nowMs + this.clockMs));
    this.life = new Life("redis", this.#lives);
    this.#listen();
  }

  /** Acknowledged writes survive a crash: no crash that loses writes is near. */
  get hasWritten(): boolean {
    return this.#kept === undefined;
  }

  get isUp(): boolean {
    return this.life.isAlive;
  }

  /** A person's hand at redis-cli. */
  get hand() {
    return handOf(this.state);
  }

  makeClient(silenceMs: number, connectMs: number): SimulatedClient {
    return new SimulatedClient(this, this.scheduler.life, { silenceMs, connectMs });
  }

  /** One request, done in one step. Throws an ErrorReply where Redis refuses to write. */
  perform(name: string, work: () => unknown): unknown {
    const isRead = reads.test(name);
    if (
      this.refusal !== undefined &&
      !isRead &&
      !(this.refusal === "OOM" && passesWithoutMemory.has(name))
    )
      throw new ErrorReply(`${this.refusal} writes are refused. script: simulated`);
    if (this.outOfOrder.has(name)) throw new ErrorReply(`ERR ${name} is out of order.`);
    const result = work();
    if (isRead) return result;
    this.wake();
    this.#writes += 1;
    for (const job of this.#afterWrites.get(this.#writes) ?? []) job();
    return result;
  }

  afterWrites(count: number, job: () => void): void {
    this.#afterWrites.set(count, [...(this.#afterWrites.get(count) ?? []), job]);
  }

  /** Returns what the process with this nonce can do. */
  handleOf(nonce: string): Blackboard {
    const known = this.#handles.get(nonce);
    if (known !== undefined) return known;
    const handle = openHandle(this.state, {
      instance: this.instance,
      nonce,
      contact: contactOf().contact,
    });
    this.#handles.set(nonce, handle);
    return handle;
  }

  /**
   * Answers once `look` finds something, or after `maxMs` with nothing. The returned function calls
   * it off.
   */
  block(
    look: () => readonly unknown[],
    maxMs: number,
    answer: (batch: readonly unknown[]) => void,
  ): () => void {
    const found = look();
    if (found.length > 0) {
      answer(found);
      return () => {};
    }
    const blocked = { look, answer };
    this.#blocked.add(blocked);
    const end = () => this.#blocked.delete(blocked);
    if (Number.isFinite(maxMs))
      this.scheduler.after(maxMs, this.life, "end of block", () => {
        if (end()) answer([]);
      });
    return end;
  }

  /** After a change: the readers that wait for it get it. */
  wake(): void {
    for (const blocked of this.#blocked) {
      const found = blocked.look();
      if (found.length === 0) continue;
      this.#blocked.delete(blocked);
      blocked.answer(found);
    }
  }

  subscribe(client: SimulatedClient, receive: (text: string) => void): void {
    this.#subscribers.set(client, receive);
  }

  forget(client: SimulatedClient): void {
    this.clients.delete(client);
    this.#subscribers.delete(client);
  }

  announcementsAfter(from: number): { batch: Announcement[]; last: number } {
    const { announcements } = this.state;
    const batch = announcements.slice(from, from + 500);
    return { batch: batch.filter(({ claim }) => String(claim) !== ""), last: from + batch.length };
  }

  /** Stores what a crash would leave. */
  save(): void {
    if (this.isUp) this.#kept = copyState(this.state);
  }

  /** The process is gone, with what was written since it saved last. */
  crash(): void {
    if (!this.isUp) return;
    this.life.end();
    this.#blocked.clear();
    this.#subscribers.clear();
    if (this.#kept !== undefined) this.#loseWrites(this.#kept);
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

  #loseWrites(kept: State): void {
    this.losses += 1;
    const missing = this.state.announcements.length - kept.announcements.length;
    for (let count = 0; count < missing; count += 1) kept.announcements.push(lost);
    this.state = kept;
    this.#handles = new Map();
    this.#listen();
  }

  #listen(): void {
    this.state.artefactListeners.add((id) => {
      for (const [client, receive] of this.#subscribers)
        if (!this.random.chance(this.hintLoss)) client.deliver("hint", () => receive(id));
    });
  }
}
