// Finds the keys of an instance that a person has replaced by one of another type: Redis refuses
// each command about such a key, and its answer does not name the key.
import type { KeyType } from "../../../lib/blackboard/records/key-types.ts";
import { keyTypes } from "../../../lib/blackboard/records/key-types.ts";
import { keysOf } from "../../../lib/blackboard/records/keys.ts";
import type { Client } from "../../../lib/blackboard/redis/client.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";

export type MistypedKey = { key: string; is: string; toBe: KeyType };

const keysAtOnce = 1_000;

/** Undefined where this user of Redis may not list keys. */
export async function findMistyped(
  client: Client,
  instance: InstanceName,
): Promise<MistypedKey[] | undefined> {
  const typeToBe = keyTypes(instance);
  const found: MistypedKey[] = [];
  const pattern = { MATCH: `${keysOf(instance).prefix}*`, COUNT: keysAtOnce };
  let cursor = "0";
  do {
    const page = await client.scan(cursor, pattern).catch(() => undefined);
    if (page === undefined) return undefined;
    cursor = page.cursor;
    const types = await Promise.all(page.keys.map((key) => client.type(key)));
    page.keys.forEach((key, at) => {
      const [is = "none", toBe] = [types[at], typeToBe(key)];
      // A key that is gone by now is of no type.
      if (toBe !== undefined && is !== "none" && is !== toBe) found.push({ key, is, toBe });
    });
  } while (cursor !== "0");
  return found.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}
