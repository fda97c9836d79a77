// The types of keys, by which `sett doctor` finds one that is of another.
import { expect, test } from "bun:test";
import { commentsOf } from "../../../../../.ci/docs/comments.ts";
import { keyTypes } from "../../../../../lib/blackboard/records/key-types.ts";
import { keysOf } from "../../../../../lib/blackboard/records/keys.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";

const instance = InstanceName.parse("test");
const { prefix, ...keys } = keysOf(instance);

test("each key is of the type that its comment says", async () => {
  const comments = await commentsOf("lib/blackboard/records/keys.ts", "keysOf");
  const typeToBe = keyTypes(instance);
  const types = new Set(["hash", "list", "stream", "string", "zset"]);
  for (const [name, key] of Object.entries(keys)) {
    const [, said = ""] = /^(\w+):/.exec(comments.get(name) ?? "") ?? [];
    const text = typeof key === "string" ? key : (key as (id: string) => string)("x1");
    expect([name, types.has(said) ? said : undefined]).toEqual([name, typeToBe(text)]);
  }
});

test("a name with colons is one where others choose names, and another key is none of Sett's", () => {
  const typeToBe = keyTypes(instance);
  expect(typeToBe(keys.reply("a:b"))).toBe("string");
  expect(typeToBe(keys.delivery("a:b"))).toBe("hash");
  for (const other of [`${prefix}notes`, `${prefix}goal:1:notes`, "sett:other:agents"])
    expect(typeToBe(other)).toBeUndefined();
});
