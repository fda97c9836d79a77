// All keys of an instance with all that they hold, at one moment: one script reads them, so that
// nothing is written meanwhile.
import { type Client, newClient } from "../../lib/blackboard/redis/client.ts";

/** The content of a key as Redis hands it out: pairs follow one another in a flat list. */
export type Stored = readonly (string | StreamEntry)[];
type StreamEntry = readonly [id: string, fields: string[]];

const script = `
local reads = {
  hash = function(key) return redis.call('HGETALL', key) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  set = function(key) return redis.call('SMEMBERS', key) end,
  stream = function(key) return redis.call('XRANGE', key, '-', '+') end,
  string = function(key) return { redis.call('GET', key) } end,
}
local found, cursor = {}, '0'
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', ARGV[1], 'COUNT', 1000)
  cursor = page[1]
  for _, key in ipairs(page[2]) do
    found[#found + 1] = { key, reads[redis.call('TYPE', key).ok](key) }
  end
until cursor == '0'
return found
`;

export class Snapshot {
  readonly #keys: ReadonlyMap<string, Stored>;

  constructor(keys: readonly (readonly [string, Stored])[]) {
    this.#keys = new Map(keys);
  }

  get names(): string[] {
    return [...this.#keys.keys()];
  }

  /** Empty where there is no such key. */
  string(key: string): string {
    return this.#texts(key).join("");
  }

  /**
   * Its members: those of a list, a set, or a sorted set in its order. Empty where there is no such
   * key.
   */
  list(key: string): string[] {
    return this.#texts(key);
  }

  hash(key: string): Record<string, string> {
    return Object.fromEntries(pairsOf(this.#texts(key)));
  }

  scores(key: string): [member: string, score: number][] {
    return pairsOf(this.#texts(key)).map(([member, score]) => [member, Number(score)]);
  }

  stream(key: string): { id: string; fields: Record<string, string> }[] {
    const entries = (this.#keys.get(key) ?? []).filter((entry) => typeof entry !== "string");
    return entries.map(([id, fields]) => ({ id, fields: Object.fromEntries(pairsOf(fields)) }));
  }

  #texts(key: string): string[] {
    return (this.#keys.get(key) ?? []).filter((entry) => typeof entry === "string");
  }
}

function pairsOf(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [
    flat[2 * index] ?? "",
    flat[2 * index + 1] ?? "",
  ]);
}

export async function takeSnapshot(url: string, prefix: string): Promise<Snapshot> {
  const client: Client = newClient(url, 60_000, 60_000);
  await client.connect();
  try {
    const found = await client.sendCommand(["EVAL_RO", script, "0", `${prefix}*`]);
    return new Snapshot(found as unknown as [string, Stored][]);
  } finally {
    client.destroy();
  }
}
