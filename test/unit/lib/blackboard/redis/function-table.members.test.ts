// In the Lua functions every member of a record is one of the table
// (lib/blackboard/redis/function-table.ts), also in the functions that get the record passed on. In
// Lua a wrong name is no error, but nil.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type FunctionName,
  functionTable,
  type Kind,
  records,
} from "../../../../../lib/blackboard/redis/function-table.ts";
import { root } from "../../../../support/root.ts";

type Members = Readonly<Record<string, Kind>>;
/** A record's members, or the kind of a value. */
type Known = Members | Kind;
type Functions = ReadonlyMap<string, { parameters: string[]; body: string }>;

const folder = join(root, "lib/blackboard/redis/lua");
const codeOf = (file: string) => readFileSync(join(folder, file), "utf8").replaceAll(/--.*$/gm, "");
const snakeCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const path = String.raw`[a-z]\w*(?:\.\w+)*`;

function functionsIn(code: string): [string, { parameters: string[]; body: string }][] {
  const found = code.matchAll(/^local function (\w+)\((.*)\)(.*(?:\n(?!end).*)*)/gm);
  return [...found].map(([, name = "", parameters = "", body = ""]) => [
    name,
    { parameters: parameters.split(", "), body },
  ]);
}

const membersOf = (known: Known | undefined): Members | undefined =>
  typeof known === "object"
    ? known
    : (records as Record<string, Members>)[known?.replace(/\?$/, "") ?? ""];

/**
 * The members that the function names, and those that it calls, although no record has them. `used`
 * gets those that are right.
 */
function wrongMembers(
  functions: Functions,
  name: string,
  known: Map<string, Known>,
  used: Set<string>,
): string[] {
  const { body } = functions.get(name) ?? { body: "" };
  const wrong: string[] = [];
  const kindOf = (text: string): Known | undefined => {
    const [first = "", ...members] = text.split(".");
    return members.reduce<Known | undefined>(
      (kind, member) => membersOf(kind)?.[member],
      known.get(first),
    );
  };
  for (const [, names = "", values = ""] of body.matchAll(/\blocal ([\w, ]+) = (.+)$/gm)) {
    const texts = values.split(", ");
    for (const [index, local] of names.split(", ").entries()) {
      const kind = kindOf(texts[index]?.trim() ?? "");
      if (kind !== undefined) known.set(local.trim(), kind);
    }
  }
  for (const [, item = "", list = ""] of body.matchAll(
    new RegExp(`\\bfor _, (\\w+) in ipairs\\((${path})\\)`, "g"),
  )) {
    const kind = kindOf(list);
    if (typeof kind === "string" && kind.endsWith("*")) known.set(item, kind.slice(0, -1));
  }
  for (const [text] of body.matchAll(new RegExp(`(?<![\\w.'])${path}(?![\\w(])`, "g"))) {
    const parts = text.split(".");
    for (const end of parts.keys()) {
      const members = end === 0 ? undefined : membersOf(kindOf(parts.slice(0, end).join(".")));
      if (members === undefined) continue;
      if (Object.hasOwn(members, parts[end] ?? "")) used.add(parts.slice(0, end + 1).join("."));
      else wrong.push(`${name}: ${text}`);
    }
  }
  for (const [, called = "", texts = ""] of body.matchAll(/\b(\w+)\(([^()]*)\)/g)) {
    const kinds = texts.split(", ").map((text) => kindOf(text.trim()));
    const pairs = functions
      .get(called)
      ?.parameters.flatMap((parameter, index): [string, Known][] => {
        const kind = kinds[index];
        return membersOf(kind) === undefined && !String(kind).endsWith("*")
          ? []
          : [[parameter, kind ?? ""]];
      });
    if (called !== name && pairs !== undefined && pairs.length > 0) {
      wrong.push(...wrongMembers(functions, called, new Map(pairs), used));
    }
  }
  return wrong;
}

const preludes = readdirSync(folder)
  .filter((file) => file.startsWith("prelude"))
  .flatMap((file) => functionsIn(codeOf(file)));

test.each(Object.keys(functionTable) as FunctionName[])(
  "%s names only members that its records have",
  (name) => {
    const own = functionsIn(codeOf(`${snakeCase(name).replaceAll("_", "-")}.lua`));
    const known = new Map<string, Known>([["args", functionTable[name].args]]);
    expect(wrongMembers(new Map([...preludes, ...own]), snakeCase(name), known, new Set())).toEqual(
      [],
    );
  },
);

test("records are followed through names, loops and calls", () => {
  const code = `
local function write(grant)
  return grant.agent .. grant.word
end
local function open(keys, args)
  local claim, id = args.new_claim, args.new_claim.id
  for _, one in ipairs(claim.grants) do write(one) end
  return claim.artefact, args.judged.artefact.payload, args.judged.nothing
end`;
  const used = new Set<string>();
  const known = new Map<string, Known>([
    ["args", { new_claim: "new_claim", judged: "judged_artefact?" }],
  ]);
  expect(wrongMembers(new Map(functionsIn(code)), "open", known, used).toSorted()).toEqual(
    [
      "open: args.judged.artefact.payload",
      "open: args.judged.nothing",
      "open: claim.artefact",
      "write: grant.word",
    ].toSorted(),
  );
  expect([...used]).toContain("grant.agent");
});
