// Contact with Redis: one connection for all that is not blocking, watched by a heartbeat and
// replaced when it is lost.
import type { ErrorReply } from "redis";
import { alignedMs } from "../../async/aligned.ts";
import { sleep } from "../../async/sleep.ts";
import { SettError } from "../../model/errors.ts";
import { LaterConnection } from "../port/later-connection.ts";
import type { Client } from "./client.ts";
import {
  endpointOf,
  isBadCredential,
  isRefusal,
  isReplica,
  isSilence,
  isWriteRefusal,
  newClient,
  placeOf,
  reasonOfWriteRefusal,
  refusedByRedis,
  unreachable,
} from "./client.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { ContactWaiters } from "./contact-waiters.ts";
import { connected, probe } from "./probe.ts";
import { maxDelayMs, reconnectDelayMs } from "./reconnect-delay.ts";
import { SleepWatch } from "./sleep-watch.ts";
import { untilAnswered } from "./until-answered.ts";

/** So many times the usual time a try may take. */
const maxTryLength = 10;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #beatMs: number;
  readonly #waiters = new ContactWaiters();
  #client: Client | undefined;
  #number = 0;
  #since: number | undefined;
  /**
   * Why Redis refuses writes, while it does. It can be read then, but no deadline and no lease can
   * be kept.
   */
  #writeRefusal: ErrorReply | undefined;
  #lost: SettError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sleep = new SleepWatch();
  #probeSent: number | undefined;
  #isLookingElsewhere = false;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#beatMs = Math.min(1_000, Math.ceil(options.timeoutMs / 3));
  }

  /**
   * Rejects with `redis-unreachable`: late (`giveUpMs`), when the signal aborts, or at once when
   * the password is wrong. A Redis that says nothing is tried again in each case, and without
   * `giveUpMs` no other one. After a try in which nothing came in time the next one may take twice
   * as long: on a busy machine no try of the usual time would ever succeed.
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    endpointOf(options.url);
    const connection = new Connection(options);
    const started = performance.now();
    const { giveUpMs = 0, signal = connection.closed } = options;
    const place = placeOf(options.url);
    if (place !== undefined && options.makeClient === undefined) await untilAnswered(place);
    let tryMs = options.timeoutMs;
    for (let tries = 0; ; tries += 1) {
      try {
        await connection.#connect(tryMs);
        break;
      } catch (error) {
        if (isSilence(error)) tryMs = Math.min(2 * tryMs, maxTryLength * options.timeoutMs);
        const isTried = tries > 0 || !isSilence(error);
        const isLate = isTried && performance.now() - started >= giveUpMs;
        if (isLate || signal.aborted || isBadCredential(error)) throw unreachable(options, error);
        await sleep(reconnectDelayMs(tries + 1), signal);
      }
    }
    connection.#sleep = new SleepWatch();
    connection.#beatLater();
    return connection;
  }

  /** Grows with each connection that is made. While there is none, it is that of the last one. */
  get number(): number {
    return this.#number;
  }

  /** Since when Redis has answered and accepted writes without a break, by `performance.now()`. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Why there is no contact, as a sentence; undefined while there is contact. */
  get problem(): string | undefined {
    if (this.#since !== undefined) return undefined;
    return this.#writeRefusal === undefined
      ? "Redis does not answer."
      : reasonOfWriteRefusal(this.#writeRefusal);
  }

  /** Why the connection was given up; undefined before. */
  get lost(): SettError | undefined {
    return this.#lost;
  }

  /** Aborts when this is closed by its owner. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  onReconnect(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Does `work`, which must be safe to repeat: for about `timeoutMs`, or as long as `repeat` of the
   * options says, it is repeated where contact breaks or Redis refuses to write. Rejects with
   * `redis-unreachable` (WritesRefused: nothing was written), or with `blackboard-refused` where
   * Redis refuses this command. `on`: the only connection that it may be done on, by its number; on
   * a later one it rejects with LaterConnection.
   */
  async run<Result>(work: (client: Client) => Promise<Result>, on?: number): Promise<Result> {
    const { timeoutMs, repeat } = this.#options;
    const last = performance.now() + (repeat?.forMs ?? timeoutMs);
    for (let tries = 0, isKnown = true; ; tries += 1) {
      let cause: unknown;
      if (this.#client !== undefined) {
        if (on !== undefined && on !== this.#number) throw new LaterConnection();
        try {
          return await work(this.#client);
        } catch (error) {
          if (isRefusal(error)) throw refusedByRedis(error);
          this.#recordWriteRefusal(error);
          [cause, isKnown] = [error, isKnown && isWriteRefusal(error)];
        }
      }
      if (this.#lost !== undefined) throw this.#lost;
      if (repeat?.signal?.aborted) throw new SettError("interrupted", "Interrupted.");
      const left = last - performance.now();
      if (left <= 0 || this.closed.aborted) throw unreachable(this.#options, cause, isKnown);
      await this.#waiters.within(Math.min(left, reconnectDelayMs(tries + 1)));
    }
  }

  /**
   * Does `work` at most once: for what must not be done after a loss of contact. Rejects as `run`
   * does.
   */
  async once<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    if (this.#client === undefined) throw this.#lost ?? unreachable(this.#options, undefined);
    try {
      return await work(this.#client);
    } catch (error) {
      this.#recordWriteRefusal(error);
      throw isRefusal(error) ? refusedByRedis(error) : unreachable(this.#options, error);
    }
  }

  /**
   * A connection for reads that block for at most `blockMs`, or for ever (undefined). The caller
   * destroys it.
   */
  async connectAnother(blockMs: number | undefined): Promise<Client> {
    const { url, ca, timeoutMs, probeKey, makeClient = newClient } = this.#options;
    const silenceMs = blockMs === undefined ? 0 : blockMs + timeoutMs;
    return (await connected(makeClient(url, timeoutMs, silenceMs, ca), probeKey)).client;
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#client?.destroy();
    this.#client = undefined;
    this.#since = undefined;
    this.#waiters.wake();
  }

  /** Once there is contact, a silent Redis is noticed by the heartbeat, whatever `tryMs` is. */
  async #connect(tryMs = this.#options.timeoutMs): Promise<void> {
    const { client, writeRefusal } = await this.#connected(tryMs);
    if (this.closed.aborted) return client.destroy();
    client.on("error", (cause) => this.#drop(client, cause));
    this.#client = client;
    this.#number += 1;
    this.#writeRefusal = writeRefusal;
    this.#since = writeRefusal === undefined ? performance.now() : undefined;
    this.#probeSent = undefined;
    // Before any call uses the connection: what the listeners remember of the one before may have
    // been lost with it.
    this.#notifyListeners();
    this.#waiters.wake();
  }

  #connected(tryMs = this.#options.timeoutMs): ReturnType<typeof connected> {
    const { url, ca, probeKey, makeClient = newClient } = this.#options;
    return connected(makeClient(url, tryMs, tryMs + this.#beatMs, ca), probeKey);
  }

  #drop(client: Client, cause: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#since = undefined;
    client.destroy();
    if (!this.closed.aborted) void this.#recover(cause);
  }

  async #recover(first: unknown): Promise<void> {
    const { timeoutMs, giveUpMs = timeoutMs, isNeeded = () => false, onLost } = this.#options;
    let cause = first;
    let [awayMs, at] = [0, performance.now()];
    for (let tries = 0; !this.closed.aborted; tries += 1) {
      try {
        return await this.#connect();
      } catch (error) {
        cause = error;
      }
      // No try takes as long as this one where this process was stopped meanwhile: Redis was not
      // away in that time.
      awayMs += Math.min(performance.now() - at, 2 * timeoutMs + maxDelayMs);
      at = performance.now();
      if (awayMs >= giveUpMs && !isNeeded()) {
        this.#lost = unreachable(this.#options, cause);
        this.#waiters.wake();
        return onLost(this.#lost);
      }
      await sleep(reconnectDelayMs(tries + 1), this.closed);
    }
  }

  #beatLater(): void {
    const beat = () => {
      this.#beat();
      this.#beatLater();
    };
    this.#timer = setTimeout(beat, alignedMs(this.#beatMs, performance.now()));
  }

  /** A server that hangs keeps its connections: only a missing answer shows it. */
  #beat(): void {
    const now = performance.now();
    const hasSlept = this.#sleep.hasSlept(2 * this.#beatMs + 500);
    const client = this.#client;
    if (client === undefined) return;
    // This process or its whole machine was stopped: leases have lapsed unseen meanwhile, so that
    // contact counts from now.
    if (hasSlept && this.#since !== undefined) this.#since = now;
    if (this.#probeSent !== undefined) {
      if (hasSlept) this.#probeSent = now;
      else if (now - this.#probeSent >= this.#options.timeoutMs) this.#drop(client, undefined);
      return;
    }
    this.#probeSent = now;
    probe(client, this.#options.probeKey).then(
      (writeRefusal) => {
        if (this.#client !== client) return;
        this.#probeSent = undefined;
        if (writeRefusal === undefined) return this.#acceptsWrites();
        this.#recordWriteRefusal(writeRefusal);
        if (isReplica(writeRefusal)) void this.#lookElsewhere(client);
      },
      () => {},
    );
  }

  /**
   * A server that has become a replica keeps its connections: behind the address another one may
   * take writes by now, as after a failover.
   */
  async #lookElsewhere(from: Client): Promise<void> {
    if (this.#isLookingElsewhere) return;
    this.#isLookingElsewhere = true;
    try {
      const { client, writeRefusal } = await this.#connected();
      client.destroy();
      if (writeRefusal === undefined) this.#drop(from, undefined);
    } catch {
      // The next look may find it.
    } finally {
      this.#isLookingElsewhere = false;
    }
  }

  /**
   * Contact is broken from now on, although Redis answers: a lease that cannot be renewed must not
   * look like one that was not.
   */
  #recordWriteRefusal(error: unknown): void {
    if (!isWriteRefusal(error) || this.#client === undefined) return;
    this.#writeRefusal = error;
    this.#since = undefined;
  }

  #acceptsWrites(): void {
    if (this.#writeRefusal === undefined) return;
    this.#writeRefusal = undefined;
    this.#since = performance.now();
    this.#waiters.wake();
    this.#notifyListeners();
  }

  #notifyListeners(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
