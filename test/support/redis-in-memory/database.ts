// The keys of a Redis and their values.
import { Refused } from "./reply.ts";
import { SortedSet } from "./sorted-set.ts";
import { Stream } from "./stream.ts";

export type Hash = Map<string, string>;
export type List = string[];
type Value = string | Hash | List | SortedSet | Stream;
type Kind = "string" | "hash" | "list" | "zset" | "stream";

export class Database {
  /** Unix milliseconds. */
  readonly now: () => number;
  #values = new Map<string, Value>();
  #expiries = new Map<string, number>();
  /** Grows with each change. */
  changes = 0;

  constructor(now: () => number) {
    this.now = () => Math.floor(now());
  }

  keys(): string[] {
    return [...this.#values.keys()].filter((key) => this.#find(key) !== undefined);
  }

  kindOf(key: string): Kind | undefined {
    const value = this.#find(key);
    return value === undefined ? undefined : kindOf(value);
  }

  readText(key: string): string | undefined {
    return this.#read(key, "string") as string | undefined;
  }

  readHash(key: string): Hash | undefined {
    return this.#read(key, "hash") as Hash | undefined;
  }

  readList(key: string): List | undefined {
    return this.#read(key, "list") as List | undefined;
  }

  readSortedSet(key: string): SortedSet | undefined {
    return this.#read(key, "zset") as SortedSet | undefined;
  }

  readStream(key: string): Stream | undefined {
    return this.#read(key, "stream") as Stream | undefined;
  }

  hashAt(key: string): Hash {
    return this.readHash(key) ?? this.#add(key, new Map());
  }

  listAt(key: string): List {
    return this.readList(key) ?? this.#add(key, []);
  }

  sortedSetAt(key: string): SortedSet {
    return this.readSortedSet(key) ?? this.#add(key, new SortedSet());
  }

  streamAt(key: string): Stream {
    return this.readStream(key) ?? this.#add(key, new Stream());
  }

  writeText(key: string, text: string, expiry?: number): void {
    this.changes += 1;
    this.#values.set(key, text);
    if (expiry === undefined) this.#expiries.delete(key);
    else this.#expiries.set(key, expiry);
  }

  /** False where there is no such key. */
  expire(key: string, expiry: number): boolean {
    if (this.#find(key) === undefined) return false;
    this.changes += 1;
    this.#expiries.set(key, expiry);
    return true;
  }

  remove(key: string): boolean {
    const isThere = this.#find(key) !== undefined;
    if (isThere) this.#forget(key);
    return isThere;
  }

  /** A list, a hash and a sorted set are there only while they have members. */
  removeIfEmpty(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined || typeof value === "string" || value instanceof Stream) return;
    if ((Array.isArray(value) ? value.length : value.size) === 0) this.#forget(key);
  }

  /** A copy that shares nothing with this one. */
  copy(): Database {
    const copy = new Database(this.now);
    for (const [key, value] of this.#values) copy.#values.set(key, copyOf(value));
    for (const [key, expiry] of this.#expiries) copy.#expiries.set(key, expiry);
    return copy;
  }

  #read(key: string, kind: Kind): Value | undefined {
    const value = this.#find(key);
    if (value === undefined) return undefined;
    if (kindOf(value) !== kind)
      throw new Refused("WRONGTYPE Operation against a key holding the wrong kind of value");
    return value;
  }

  #find(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined && this.#expiries.size > 0) {
      const expiry = this.#expiries.get(key);
      if (expiry !== undefined && expiry <= this.now()) {
        this.#forget(key);
        return undefined;
      }
    }
    return value;
  }

  #add<Added extends Value>(key: string, value: Added): Added {
    this.#values.set(key, value);
    return value;
  }

  #forget(key: string): void {
    this.changes += 1;
    this.#values.delete(key);
    this.#expiries.delete(key);
  }
}

function kindOf(value: Value): Kind {
  if (typeof value === "string") return "string";
  if (value instanceof Map) return "hash";
  if (value instanceof SortedSet) return "zset";
  return value instanceof Stream ? "stream" : "list";
}

function copyOf(value: Value): Value {
  if (typeof value === "string") return value;
  if (value instanceof Map) return new Map(value);
  return Array.isArray(value) ? [...value] : value.copy();
}
