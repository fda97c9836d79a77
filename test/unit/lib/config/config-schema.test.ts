// The JSON Schema by which editors check a sett.yml while it is written: it says what zod says.
import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import {
  configSchema,
  configSchemaText,
  schemaFile,
} from "../../../../lib/config/config-schema.ts";
import { initFiles } from "../../../../lib/config/init-files.ts";
import { SettFile } from "../../../../lib/model/config.ts";
import { root } from "../../../support/root.ts";

// The types of the two JSON Schemas differ by what zod cannot read back, of which there is nothing
// here.
const schema = z.fromJSONSchema(configSchema() as Parameters<typeof z.fromJSONSchema>[0]);
const accepts = (file: unknown) => schema.safeParse(file).success;
const withAgent = (agent: object) => ({
  version: "1.0",
  agents: { coder: { image: "debian", command: ["/run"], ...agent } },
});

test("every sett.yml of the repository is valid by the schema", async () => {
  const files = [
    "sett.example.yml",
    "agents/release-train/sett.yml",
    "test/support/config/whole-agent.sett.yml",
  ];
  for (const file of files)
    expect([file, accepts(parse(await readFile(join(root, file), "utf8")))]).toEqual([file, true]);
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

/**
 * Files as people write them, right and wrong: an editor must not mark what `sett validate` takes.
 */
const written = {
  role: ["coder", "über coder", "a*b", " a", "", 7],
  build: ["./agent", { context: "." }, { context: ".", args: { A: "1" } }, {}, null],
  environment: [["A=1", "B"], { A: "1", B: null }, { A: 1 }, [1]],
  timeout: ["5m", "1h30m", "1.5h", "500ms", "5", 5, "8d"],
  retries: [0, 3, -1, 1.5],
  resources: [
    { limits: { cpus: ".5", memory: "1.5GiB" } },
    { limits: { cpus: 2, memory: 8_000_000 }, reservations: { memory: "6 MB" } },
    { limits: { cpus: "two", memory: "2g" } },
  ],
  workspace: [
    {},
    { mode: "rw" },
    { mode: "w" },
    null,
    {
      prepare: {
        run: "npm ci",
        key: ["lock"],
        network: { egress: ["a:443"] },
        timeout: "5m",
        secrets: ["npm", { name: "b", variable: "B" }],
      },
    },
    { prepare: { run: "npm ci" } },
  ],
  bids: [
    [],
    [{ on: "*", from: "a", bid: "claim" }],
    [{ on: "", bid: "claim" }],
    [{ bid: "claim" }],
  ],
  health_port: [8080, 0, 70_000],
  model: ["strong", "Strong", 5],
  budget: [
    { usd: 5, tokens: "2M", calls: 500 },
    { tokens: "1.5k" },
    {},
    { usd: -1 },
    { tokens: "many" },
    5,
  ],
  on_budget: ["fail", "ask", "stop"],
};

const models = [
  {
    provider: "anthropic",
    model: "m",
    key: "$KEY",
    base_url: "https://a.org/v1",
    max_output: 9,
    parallel: 2,
    timeout: "30s",
  },
  {
    provider: "openai",
    model: "m",
    price: { input: 0, output: 0.5, long_input: { above: 9, input: 1, output: 2 } },
  },
  { provider: "openai" },
  { provider: "mistral", model: "m" },
  { provider: "openai", model: "m", price: { input: 0 } },
];

test("the schema takes every value that `sett validate` takes", () => {
  const agents = Object.entries(written).flatMap(([key, values]) =>
    values.map((value) => withAgent({ [key]: value })),
  );
  const valid = agents.filter((agent) => SettFile.safeParse(agent).success);
  expect(valid.length).toBeGreaterThan(15);
  expect(valid.length).toBeLessThan(agents.length);
  expect(valid.filter((agent) => !accepts(agent))).toEqual([]);
});

test("the schema takes every model that `sett validate` takes, by every name that it takes", () => {
  const files = [
    ...models.map((strong) => ({ ...withAgent({}), models: { strong } })),
    ...["bodies", "digests", "all"].map((record) => ({ ...withAgent({}), models: { record } })),
  ];
  expect(files.map((file) => [SettFile.safeParse(file).success, accepts(file)])).toEqual([
    ...[true, true, false, false, false].map((isValid) => [isValid, isValid]),
    ...[true, true, false].map((isValid) => [isValid, isValid]),
  ]);
  const names = ["strong", "gpt-5.5_mini", "Strong", "-a", "a b"];
  expect(
    names.filter((name) => accepts({ ...withAgent({}), models: { [name]: models[0] } })),
  ).toEqual(names.slice(0, 2));
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
  expect(files.get("sett.yml")?.split("\n")[0]).toBe(
    `# yaml-language-server: $schema=${schemaFile}`,
  );
  const example = await readFile(join(root, "sett.example.yml"), "utf8");
  const [, named = ""] = /^# yaml-language-server: \$schema=(.+)/.exec(example) ?? [];
  expect(await readFile(join(root, named), "utf8")).toBe(configSchemaText());
});
