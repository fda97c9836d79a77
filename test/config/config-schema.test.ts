// The JSON Schema by which editors check a sett.yml while it is written: it says what zod says.
import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { configSchema, configSchemaText, schemaFile } from "../../lib/config/config-schema.ts";
import { initFiles } from "../../lib/config/init-files.ts";

const root = join(import.meta.dir, "../..");
// The types of the two JSON Schemas differ by what zod cannot read back, of which there is nothing here.
const schema = z.fromJSONSchema(configSchema() as Parameters<typeof z.fromJSONSchema>[0]);
const accepts = (file: unknown) => schema.safeParse(file).success;
const withAgent = (agent: object) => ({ version: "1.0", agents: { coder: { image: "debian", command: ["/run"], ...agent } } });

test("every sett.yml of the repository is valid by the schema", async () => {
  const files = ["sett.example.yml", "agents/release-train/sett.yml", "test/support/examples/whole-agent.sett.yml"];
  for (const file of files) expect([file, accepts(parse(await readFile(join(root, file), "utf8")))]).toEqual([file, true]);
});

test.each([
  ["an unknown key", withAgent({ comand: ["/run"] })],
  ["a number without a unit", withAgent({ timeout: "5" })],
  ["an unknown bid", withAgent({ bids: [{ on: "*", bid: "maybe" }] })],
  ["a size of letters", withAgent({ resources: { limits: { memory: "much" } } })],
  ["a role with a star", withAgent({ role: "co*der" })],
  ["another version", { ...withAgent({}), version: "2.0" }],
  ["no agents", { version: "1.0" }],
])("the schema refuses %s", (_, file) => {
  expect(accepts(withAgent({ timeout: "5m" }))).toBe(true);
  expect(accepts(file)).toBe(false);
});

test("every key has a description, which editors show", () => {
  const lacking: string[] = [];
  const look = (path: string, value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, one] of Object.entries(value)) {
      const isKey = path.endsWith("properties");
      if (isKey && !("description" in one)) lacking.push(`${path}.${name}`);
      look(isKey ? name : `${path}.${name}`, one);
    }
  };
  look("", configSchema());
  expect(lacking).toEqual([]);
});

test("the first line of what `sett init` writes names the schema that it writes beside it, and the example at the root its own", async () => {
  const files = new Map(initFiles().map(({ path, content }) => [path, content]));
  expect(files.get(schemaFile)).toBe(configSchemaText());
  expect(files.get("sett.yml")?.split("\n")[0]).toBe(`# yaml-language-server: $schema=${schemaFile}`);
  const example = await readFile(join(root, "sett.example.yml"), "utf8");
  const [, named = ""] = /^# yaml-language-server: \$schema=(.+)/.exec(example) ?? [];
  expect(await readFile(join(root, named), "utf8")).toBe(configSchemaText());
});
