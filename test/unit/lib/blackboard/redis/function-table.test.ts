// The Lua functions and their table (lib/blackboard/redis/function-table.ts) name the same keys,
// arguments, outcomes and records.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { artefactFieldNames } from "../../../../../lib/blackboard/records/artefact-field-names.ts";
import {
  type FunctionName,
  functionTable,
  type Kind,
  records,
} from "../../../../../lib/blackboard/redis/function-table.ts";
import { root } from "../../../../support/root.ts";

const folder = join(root, "lib/blackboard/redis/lua");
const files = readdirSync(folder).filter((file) => file.endsWith(".lua"));
const isPrelude = (file: string) => file.startsWith("prelude");
const read = (file: string) => readFileSync(join(folder, file), "utf8");

/** `placeBid` is the function `place_bid` in place-bid.lua. */
const fileOf = (name: string) =>
  `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.lua`;

/**
 * Returns the text after the label in the file's comments, with its continued lines: `KEYS`,
 * `ARGS`, `Result`, `RECORD bid`.
 */
function labelled(source: string, label: string): string | undefined {
  const [, text] = new RegExp(`^-- ${label} (.*(?:\\n-- {2,}.*)*)`, "m").exec(source) ?? [];
  return text?.replaceAll(/\n-- +/g, " ");
}

const listed = (members: Readonly<Record<string, Kind>>) =>
  Object.entries(members)
    .map(([name, kind]) => (kind === "text" ? name : `${name}: ${kind}`))
    .join(", ");

/** The names after `args.` or `keys.`. */
const used = (code: string, table: "args" | "keys") =>
  new Set([...code.matchAll(new RegExp(`\\b${table}\\.(\\w+)`, "g"))].map(([, name = ""]) => name));

test("every Lua file is a prelude, or the function of the same name", () => {
  expect(files.filter((file) => !isPrelude(file)).toSorted()).toEqual(
    Object.keys(functionTable).map(fileOf).toSorted(),
  );
});

describe.each(Object.keys(functionTable) as FunctionName[])("%s", (name) => {
  const source = read(fileOf(name));
  const code = source.replaceAll(/--.*$/gm, "");
  const entry = functionTable[name];

  test("its header names its keys and arguments, in their order", () => {
    expect(labelled(source, "KEYS")).toBe(entry.keys.join(", ") || "none");
    expect(labelled(source, "ARGS")).toBe(listed(entry.args) || "none");
  });

  test("its code uses these names, all of them and no others", () => {
    expect([...used(code, "keys")].toSorted()).toEqual([...entry.keys].toSorted());
    expect([...used(code, "args")].toSorted()).toEqual(Object.keys(entry.args).toSorted());
  });

  test("its header and its code have the outcomes of the table, with what they carry", () => {
    if (!("outcomes" in entry)) return;
    const outcomes: [string, readonly string[]][] = Object.entries(entry.outcomes);
    const named = outcomes.map(([outcome, details]) =>
      details.length === 0 ? outcome : `${outcome} (${details.join(", ")})`,
    );
    expect(labelled(source, "Result")).toBe(named.join(" | "));
    const returned = [...code.matchAll(/return \{ '(\w+)'(.*) \}/g)].map(
      ([, outcome = "", rest = ""]) => [
        outcome,
        rest.replaceAll(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, "").split(",").length - 1,
      ],
    );
    if (/\brefused?\(/.test(code)) returned.push(["refused", 1]);
    const expected = outcomes.map(([outcome, details]) => [outcome, details.length]);
    expect(new Set(returned.map(String))).toEqual(new Set(expected.map(String)));
  });
});

test("the Lua files name the members of every record", () => {
  const all = files.map(read).join("\n");
  const said = Object.keys(records).map((name) => [name, labelled(all, `RECORD ${name}`)]);
  const whole: Partial<Record<string, string>> = {
    artefact: "`artefact_fields`, then digest, salt, sha256",
    commit: "the arguments of commit-claim",
    head: "`head_fields`",
    head_bytes: "`head_fields`, as bytes",
  };
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(
      Object.entries(records).map(([name, members]) => [name, whole[name] ?? listed(members)]),
    ),
  );
});

test("both sides list the fields of an artefact in one order", () => {
  const [, list = ""] = /artefact_fields = \{([^}]*)\}/.exec(read("prelude-artefact.lua")) ?? [];
  expect([...list.matchAll(/'(\w+)'/g)].map(([, name = ""]) => name)).toEqual([
    ...artefactFieldNames,
  ]);
  expect(Object.keys(records.artefact)).toEqual([
    ...artefactFieldNames,
    "digest",
    "salt",
    "sha256",
  ]);
});
