// Contact with Redis: one connection for all that is not blocking, watched by a heartbeat and replaced when it is lost.
import type { ErrorReply } from "redis";
import type { SettError } from "../../model/errors.ts";
import {
  type Client,
  endpointOf,
  isBadCredential,
  isRefusal,
  isWriteRefusal,
  newClient,
  reasonOfWriteRefusal,
  refusedByRedis,
  unreachable,
} from "./client.ts";
import { backOffMs, pauseUnlessAborted } from "./pause.ts";
import { connected, probe } from "./probe.ts";
import { SleepWatch } from "./sleep-watch.ts";

export type ConnectionOptions = {
  url: string;
  /** How long an answer may take. */
  timeoutMs: number;
  /** How long contact may be away before it is given up for good; undefined: the first failure to connect is final. */
  giveUpMs: number | undefined;
  /** Called once when contact is given up after it had been made. */
  onLost: (error: SettError) => void;
};

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #beatMs: number;
  readonly #waiting = new Set<() => void>();
  #client: Client | undefined;
  #since: number | undefined;
  /** Why Redis refuses writes, while it does. It is there then and may be read, but nobody can keep a deadline or a lease. */
  #writeRefusal: ErrorReply | undefined;
  #lost: SettError | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #sleep = new SleepWatch();
  #probeSent: number | undefined;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#beatMs = Math.min(1_000, Math.ceil(options.timeoutMs / 3));
  }

  /** Rejects with `redis-unreachable` when contact cannot be made within `giveUpMs`, or at once when the password is wrong. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    endpointOf(options.url);
    const connection = new Connection(options);
    const started = performance.now();
    for (let tries = 0; ; tries += 1) {
      try {
        await connection.#connect();
        break;
      } catch (error) {
        const isLate = options.giveUpMs === undefined || performance.now() - started >= options.giveUpMs;
        if (isLate || isBadCredential(error)) throw unreachable(options.url, error);
        await pauseUnlessAborted(backOffMs(tries), connection.closed);
      }
    }
    connection.#sleep = new SleepWatch();
    connection.#timer = setInterval(() => connection.#beat(), connection.#beatMs);
    return connection;
  }

  /** Since when contact has been unbroken, by `performance.now()`. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Why there is no contact, in a sentence; undefined while there is. */
  get problem(): string | undefined {
    if (this.#since !== undefined) return undefined;
    return this.#writeRefusal === undefined ? "Redis does not answer." : reasonOfWriteRefusal(this.#writeRefusal);
  }

  /** Why contact was given up, once it was. */
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
   * Does `work`, again if contact breaks meanwhile (its outcome is then unknown, so it must be safe to repeat) or Redis refuses to write,
   * for about `timeoutMs`. Rejects with `redis-unreachable` then (WritesRefused: nothing was written), and with `blackboard-refused` for what Redis refuses.
   */
  async run<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const last = performance.now() + this.#options.timeoutMs;
    for (let tries = 0, isKnown = true; ; tries += 1) {
      let cause: unknown;
      if (this.#client !== undefined) {
        try {
          return await work(this.#client);
        } catch (error) {
          if (isRefusal(error)) throw refusedByRedis(error);
          this.#noteWriteRefusal(error);
          [cause, isKnown] = [error, isKnown && isWriteRefusal(error)];
        }
      }
      if (this.#lost !== undefined) throw this.#lost;
      const left = last - performance.now();
      if (left <= 0 || this.closed.aborted) throw unreachable(this.#options.url, cause, isKnown);
      await this.#contactWithin(Math.min(left, backOffMs(tries)));
    }
  }

  /** Does `work` at most once: for what is not to be done any more when contact was broken meanwhile. Rejects as `run` does. */
  async once<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    if (this.#client === undefined) throw this.#lost ?? unreachable(this.#options.url, undefined);
    try {
      return await work(this.#client);
    } catch (error) {
      this.#noteWriteRefusal(error);
      throw isRefusal(error) ? refusedByRedis(error) : unreachable(this.#options.url, error);
    }
  }

  /** A connection for reads that block for at most `blockMs`, or for ever (undefined). The caller destroys it. */
  async connectAnother(blockMs: number | undefined): Promise<Client> {
    const { url, timeoutMs } = this.#options;
    const { client } = await connected(newClient(url, timeoutMs, blockMs === undefined ? 0 : blockMs + timeoutMs));
    return client;
  }

  close(): void {
    this.#closing.abort();
    clearInterval(this.#timer);
    this.#client?.destroy();
    this.#client = undefined;
    this.#since = undefined;
    this.#wake();
  }

  async #connect(): Promise<void> {
    const { url, timeoutMs } = this.#options;
    const { client, writeRefusal } = await connected(newClient(url, timeoutMs, timeoutMs + this.#beatMs));
    if (this.closed.aborted) return client.destroy();
    client.on("error", (cause) => this.#drop(client, cause));
    this.#client = client;
    this.#writeRefusal = writeRefusal;
    this.#since = writeRefusal === undefined ? performance.now() : undefined;
    this.#probeSent = undefined;
    this.#wake();
  }

  #drop(client: Client, cause: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#since = undefined;
    client.destroy();
    if (!this.closed.aborted) void this.#recover(cause);
  }

  async #recover(first: unknown): Promise<void> {
    const { url, timeoutMs, giveUpMs = timeoutMs, onLost } = this.#options;
    const started = performance.now();
    let cause = first;
    for (let tries = 0; !this.closed.aborted; tries += 1) {
      try {
        await this.#connect();
        this.#tellListeners();
        return;
      } catch (error) {
        cause = error;
      }
      if (performance.now() - started >= giveUpMs) {
        this.#lost = unreachable(url, cause);
        this.#wake();
        return onLost(this.#lost);
      }
      await pauseUnlessAborted(backOffMs(tries), this.closed);
    }
  }

  /** A hung server keeps its connections: only an answer that does not come shows it. */
  #beat(): void {
    const now = performance.now();
    const hasSlept = this.#sleep.hasSlept(2 * this.#beatMs + 500);
    const client = this.#client;
    if (client === undefined) return;
    // This process or its whole machine stood still: what lapsed meanwhile lapsed unseen, so contact counts from now.
    if (hasSlept && this.#since !== undefined) this.#since = now;
    if (this.#probeSent !== undefined) {
      if (hasSlept) this.#probeSent = now;
      else if (now - this.#probeSent >= this.#options.timeoutMs) this.#drop(client, undefined);
      return;
    }
    this.#probeSent = now;
    probe(client).then(
      (writeRefusal) => {
        if (this.#client !== client) return;
        this.#probeSent = undefined;
        if (writeRefusal === undefined) this.#takesWrites();
        else this.#noteWriteRefusal(writeRefusal);
      },
      () => {},
    );
  }

  /** Contact is broken from here on, although Redis answers: whoever judges deadlines must not believe that nobody renews. */
  #noteWriteRefusal(error: unknown): void {
    if (!isWriteRefusal(error) || this.#client === undefined) return;
    this.#writeRefusal = error;
    this.#since = undefined;
  }

  #takesWrites(): void {
    if (this.#writeRefusal === undefined) return;
    this.#writeRefusal = undefined;
    this.#since = performance.now();
    this.#wake();
    this.#tellListeners();
  }

  #tellListeners(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #contactWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      this.#waiting.add(finish);
    });
  }

  #wake(): void {
    for (const finish of [...this.#waiting]) finish();
  }
}
