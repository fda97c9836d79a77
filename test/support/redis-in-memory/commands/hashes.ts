// Hashes.
import type { Database } from "../database.ts";
import { Refused, wrongNumberOfWords } from "../reply.ts";
import { type Commands, makesRoom, reads, wholeOf, writes } from "./command.ts";
import { pageOf } from "./scan.ts";

export const hashes: Commands = {
  HSET: writes(
    4,
    (database, [key = "", ...fields]) => {
      if (fields.length % 2 !== 0) throw wrongNumberOfWords("hset");
      const hash = database.hashAt(key);
      const before = hash.size;
      for (let place = 0; place < fields.length; place += 2)
        hash.set(fields[place] as string, fields[place + 1] as string);
      database.changes += 1;
      return hash.size - before;
    },
    false,
  ),
  HSETNX: writes(4, (database, [key = "", field = "", value = ""]) => {
    const hash = database.hashAt(key);
    if (hash.has(field)) return 0;
    hash.set(field, value);
    database.changes += 1;
    return 1;
  }),
  HGET: reads(3, (database, [key = "", field = ""]) => database.readHash(key)?.get(field) ?? null),
  HMGET: reads(
    3,
    (database, [key = "", ...fields]) => {
      const hash = database.readHash(key);
      return fields.map((field) => hash?.get(field) ?? null);
    },
    false,
  ),
  HGETALL: reads(2, (database, [key = ""]) => {
    const words: string[] = [];
    for (const [field, value] of database.readHash(key) ?? []) words.push(field, value);
    return words;
  }),
  HKEYS: reads(2, (database, [key = ""]) => [...(database.readHash(key)?.keys() ?? [])]),
  HVALS: reads(2, (database, [key = ""]) => [...(database.readHash(key)?.values() ?? [])]),
  HLEN: reads(2, (database, [key = ""]) => database.readHash(key)?.size ?? 0),
  HEXISTS: reads(3, (database, [key = "", field = ""]) =>
    database.readHash(key)?.has(field) ? 1 : 0,
  ),
  HSTRLEN: reads(
    3,
    (database, [key = "", field = ""]) => database.readHash(key)?.get(field)?.length ?? 0,
  ),
  HDEL: makesRoom(
    3,
    (database, [key = "", ...fields]) => removeFields(database, key, fields),
    false,
  ),
  HINCRBY: writes(4, (database, [key = "", field = "", word]) => {
    wholeOf(word);
    const stored = database.readHash(key)?.get(field) ?? "0";
    if (!/^-?(?:0|[1-9]\d{0,18})$/.test(stored))
      throw new Refused("ERR hash value is not an integer");
    const sum = (BigInt(stored) + BigInt(word ?? "")).toString();
    database.hashAt(key).set(field, sum);
    database.changes += 1;
    return Number(sum);
  }),
  HSCAN: reads(
    3,
    (database, [key = "", cursor = "", ...options]) => {
      const hash = database.readHash(key) ?? new Map<string, string>();
      const page = pageOf([...hash.keys()], cursor, options);
      return [page.cursor, page.found.flatMap((field) => [field, hash.get(field) ?? ""])];
    },
    false,
  ),
};

function removeFields(database: Database, key: string, fields: readonly string[]): number {
  const hash = database.readHash(key);
  if (hash === undefined) return 0;
  let removed = 0;
  for (const field of fields) if (hash.delete(field)) removed += 1;
  if (removed > 0) database.changes += 1;
  database.removeIfEmpty(key);
  return removed;
}
