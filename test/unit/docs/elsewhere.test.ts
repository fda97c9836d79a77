// The guide about SETT_API says of each command whether it speaks with the API.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../../../apps/cli/commands.ts";
import { root } from "../../support/root.ts";

const page = readFileSync(join(root, "docs/guides/elsewhere.md"), "utf8");
const [, table = ""] =
  /^\| with these variables \|.*\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
const rows = table.trim().split("\n");
const named = (row = "") =>
  [...(row.split("|")[2] ?? "").matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => name);

test("each command is in one row of its table", () => {
  expect(rows.flatMap(named).toSorted()).toEqual(Object.keys(commands).toSorted());
});

test("the row of what is refused has the commands that are", async () => {
  const all = await Promise.all(Object.values(commands).map(({ load }) => load()));
  const refused = all
    .filter(({ isOfThisMachine }) => isOfThisMachine === true)
    .map(({ name }) => name);
  expect(named(rows.find((row) => row.includes("are refused"))).toSorted()).toEqual(
    refused.toSorted(),
  );
});
