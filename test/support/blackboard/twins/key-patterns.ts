// Says which of the keys of lib/blackboard/records/keys.ts a key is.
import { type Keys, keysOf } from "../../../../lib/blackboard/records/keys.ts";
import { InstanceName } from "../../../../lib/model/ids.ts";

/** Subjects of deliveries have any text; agents and ids have no colon. */
const part = "([^:]+)";

const keys = keysOf(InstanceName.parse("x"));

/** Channels are no keys. */
const notStored = new Set(["prefix", "artefactChannel", "claimChannel"]);

export type KeyName = Exclude<keyof Keys, "prefix" | "artefactChannel" | "claimChannel">;

export const keyNames = (Object.keys(keys) as (keyof Keys)[]).filter(
  (name): name is KeyName => !notStored.has(name),
);

const patterns = keyNames.map((name) => {
  const key = keys[name];
  // Every function of a key has one argument, of which each is text.
  const text = typeof key === "string" ? key : (key as (id: string) => string)("@");
  return { name, pattern: new RegExp(`^${text.slice(keys.prefix.length).replace("@", part)}$`) };
});

/**
 * `key` without the instance's prefix; `id` is what the key is of. A fixed key, such as
 * `artefacts:refused`, has none.
 */
export function keyNameOf(key: string): { name: KeyName; id: string } {
  for (const { name, pattern } of patterns) {
    const found = pattern.exec(key);
    if (found !== null) return { name, id: found[1] ?? "" };
  }
  throw new Error(`lib/blackboard/records/keys.ts has no key ${key}.`);
}
