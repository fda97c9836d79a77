// A small Redis in memory: the commands that our functions and programs use, with the functions
// themselves in Lua 5.1.
import type { Command } from "./commands/command.ts";
import { floatOf, wholeOf } from "./commands/command.ts";
import { hashes } from "./commands/hashes.ts";
import { keys } from "./commands/keys.ts";
import { lists, popFrom } from "./commands/lists.ts";
import { sortedSets } from "./commands/sorted-sets.ts";
import { readStreams, streams } from "./commands/streams.ts";
import { Database } from "./database.ts";
import { type Library, Lua } from "./lua.ts";
import { Refused, type Reply, syntaxError, wrongNumberOfWords } from "./reply.ts";
import { firstId, idOf, type StreamId } from "./stream.ts";
import { WholeWrites } from "./whole-writes.ts";

const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({ ...keys, ...hashes, ...lists, ...sortedSets, ...streams }),
);

/** One for the process: it keeps nothing of a call but what the next one writes over. */
const lua = new Lua();
const libraries = new Map<string, Library>();

/** A connection waits for it. `look`: undefined while it is not there. */
type Waiting = { look: () => Reply | undefined; maxMs: number };
type Blocked = { connection: number; look: Waiting["look"]; end: (reply: Reply) => void };
export type Settle = { answer: (reply: Reply) => void; fail: (error: Refused) => void };

export class RedisInMemory {
  database: Database;
  /** Why writes are refused: the beginning of the error. */
  refusal: "OOM" | "MISCONF" | undefined;
  /** Its file has not yet what was written last. */
  hasUnwritten = false;
  readonly #subscribers = new Map<string, Set<(text: string) => void>>();
  readonly #blocked = new Set<Blocked>();
  #connections = 0;
  #libraries = new Map<string, Library>();

  constructor(now: () => number = Date.now) {
    this.database = new Database(now);
  }

  /** Its connections are gone with all that they waited for; what it has stored is `database`. */
  restart(database: Database): void {
    this.database = database;
    this.#blocked.clear();
    this.#subscribers.clear();
  }

  /** The number of a new one. */
  connect(): number {
    this.#connections += 1;
    return this.#connections;
  }

  /**
   * Settles it at once or, where the command waits for what others write, later. The returned
   * function calls it off.
   */
  request(words: readonly string[], connection: number, { answer, fail }: Settle): () => void {
    try {
      const waiting = this.#waitingOf(words);
      const reply = waiting === undefined ? this.execute(words, connection) : waiting.look();
      if (waiting === undefined || reply !== undefined || waiting.maxMs < 0) answer(reply ?? null);
      else return this.#block(waiting, connection, answer);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fail(error);
    }
    return () => {};
  }

  /** The returned function ends it. */
  subscribe(channel: string, receive: (text: string) => void): () => void {
    const receivers = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, receivers.add(receive));
    return () => receivers.delete(receive);
  }

  /** Does a command that does not wait. Throws `Refused`. */
  execute(words: readonly string[], connection = 0): Reply {
    const before = this.database.changes;
    try {
      if (words[0] === "CLIENT") return this.#aboutClients(words, connection);
      return this.#execute(words, false);
    } finally {
      if (this.database.changes !== before) this.#serve();
    }
  }

  /** Of a library, as it is to be loaded. */
  sourceOf(source: string): string {
    return source;
  }

  #block({ look, maxMs }: Waiting, connection: number, answer: Settle["answer"]): () => void {
    const end = (reply: Reply) => {
      callOff();
      answer(reply);
    };
    const blocked = { connection, look, end };
    const timer = maxMs === 0 ? undefined : setTimeout(() => end(null), maxMs);
    const callOff = () => {
      clearTimeout(timer);
      this.#blocked.delete(blocked);
    };
    this.#blocked.add(blocked);
    return callOff;
  }

  #serve(): void {
    for (const { look, end } of [...this.#blocked]) {
      const reply = look();
      if (reply !== undefined) end(reply);
    }
  }

  /** There are no users but the owner. */
  #aboutClients([, what = "", word = ""]: readonly string[], connection: number): Reply {
    if (what === "ID") return connection;
    if (what === "LIST") return "";
    if (what === "KILL") throw new Refused("ERR No such user");
    if (what !== "UNBLOCK") throw syntaxError();
    const found = [...this.#blocked].filter((one) => one.connection === Number(word));
    for (const { end } of found) end(null);
    return found.length;
  }

  #execute(words: readonly string[], isInFunction: boolean): Reply {
    const name = words[0]?.toUpperCase() ?? "";
    if (name === "PUBLISH") return this.#publish(words[1] ?? "", words[2] ?? "");
    if (!isInFunction) {
      if (name === "FCALL" || name === "FCALL_RO")
        return this.#callFunction(words, name === "FCALL_RO");
      if (name === "FUNCTION") return this.#administer(words);
    }
    if (name === "INFO") return this.#info();
    if (name === "SLOWLOG") return [];
    const command = commands.get(name);
    if (command === undefined) throw new Refused(`ERR unknown command '${words[0]}'`);
    if (words.length < command.words || (command.isExact && words.length > command.words))
      throw wrongNumberOfWords(name);
    if (!isInFunction) this.#ensureAccepted(command.writes, command.makesRoom === true);
    return command.run(this.database, words.slice(1));
  }

  #info(): string {
    return [
      "connected_clients:1",
      "used_memory:1000000",
      "mem_not_counted_for_evict:0",
      "maxmemory:0",
      `aof_buffer_length:${this.hasUnwritten ? 1 : 0}`,
    ].join("\r\n");
  }

  #ensureAccepted(writes: boolean, withoutRoom: boolean): void {
    if (this.refusal === undefined || !writes || (this.refusal === "OOM" && withoutRoom)) return;
    throw new Refused(
      this.refusal === "OOM"
        ? "OOM command not allowed when used memory > 'maxmemory'."
        : "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    );
  }

  #publish(channel: string, text: string): number {
    const receivers = [...(this.#subscribers.get(channel) ?? [])];
    for (const receive of receivers) receive(text);
    return receivers.length;
  }

  #callFunction(words: readonly string[], isReading: boolean): Reply {
    const [, name = "", count] = words;
    const number = wholeOf(count);
    for (const library of this.#libraries.values()) {
      const found = library.get(name);
      if (found === undefined) continue;
      const reads = found.flags.includes("no-writes");
      if (isReading && !reads)
        throw new Refused("ERR Can not execute a script with write flag using *_ro command.");
      this.#ensureAccepted(!reads, found.flags.includes("allow-oom"));
      const writes = new WholeWrites(name);
      const run = (own: readonly string[]) => {
        writes.note(own, isWrite(own));
        return this.#execute(own, true);
      };
      const [keys, args] = [words.slice(3, 3 + number), words.slice(3 + number)];
      const reply = lua.call(found.place, keys, args, run);
      if (writes.problem !== undefined) throw new Refused(`ERR ${writes.problem}`);
      return reply;
    }
    throw new Refused("ERR Function not found");
  }

  #administer(words: readonly string[]): Reply {
    const what = words[1]?.toUpperCase();
    if (what === "LOAD") {
      const source = this.sourceOf(words.at(-1) ?? "");
      const [, name = ""] = /^#!lua name=(\S+)/.exec(source) ?? [];
      const library = libraries.get(source) ?? lua.load(source);
      libraries.set(source, library);
      this.#libraries.set(name, library);
      return name;
    }
    if (what === "LIST") {
      const wanted = words[3];
      return [...this.#libraries.keys()].filter((name) => wanted === undefined || name === wanted);
    }
    throw syntaxError();
  }

  #waitingOf(words: readonly string[]): Waiting | undefined {
    const name = words[0]?.toUpperCase();
    if (name === "XREAD") return this.#readWait(words);
    if (name !== "BLMPOP") return undefined;
    this.#ensureAccepted(true, true);
    return this.#popWait(words);
  }

  #readWait(words: readonly string[]): Waiting {
    let [count, maxMs, place] = [Number.POSITIVE_INFINITY, -1, 1];
    for (; words[place]?.toUpperCase() !== "STREAMS"; place += 2) {
      const option = words[place]?.toUpperCase();
      if (option === "COUNT") count = wholeOf(words[place + 1]);
      else if (option === "BLOCK") maxMs = wholeOf(words[place + 1]);
      else throw syntaxError();
    }
    const rest = words.slice(place + 1);
    const half = rest.length / 2;
    const wanted = rest
      .slice(0, half)
      .map((key, index) => [key, this.#placeOf(key, rest[half + index] ?? "")] as const);
    const look = () => readStreams(this.database, wanted, count) ?? undefined;
    return { look, maxMs };
  }

  #placeOf(key: string, word: string): StreamId {
    if (word === "$") return this.database.readStream(key)?.lastId ?? firstId;
    return idOf(word, 0);
  }

  /** BLMPOP timeout numkeys key [key …] LEFT [COUNT count] */
  #popWait(words: readonly string[]): Waiting {
    const seconds = floatOf(words[1]);
    const number = wholeOf(words[2]);
    const names = words.slice(3, 3 + number);
    const count = words[4 + number] === undefined ? 1 : wholeOf(words[5 + number]);
    const look = () => {
      for (const key of names) {
        const popped = popFrom(this.database, key, count);
        if (popped !== undefined) return [key, popped];
      }
      return undefined;
    };
    return { look, maxMs: seconds * 1_000 };
  }
}

/** Whether a request may write. */
export function isWrite([name = ""]: readonly string[]): boolean {
  const upper = name.toUpperCase();
  return upper === "FCALL" || upper === "BLMPOP" || commands.get(upper)?.writes === true;
}
