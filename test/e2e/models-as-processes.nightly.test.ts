// A sett with a model, without a container: the gateway is a process, and the key is in a folder in
// memory that only this user can read.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { LLMock } from "@copilotkit/aimock";
import { $ } from "bun";
import { readSpec } from "../../lib/runtime/process/registry.ts";
import { root } from "../support/root.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const key = "sk-of-the-tests-one";
const provider = new LLMock({
  port: 0,
  host: "127.0.0.1",
  logLevel: "silent",
  auth: { apiKeys: [key] },
});
let sett: ProcessSett;

const command = JSON.stringify([
  process.execPath,
  "run",
  join(root, "test/support/models/asker.ts"),
]);
const asker = `  asker:\n    image: none:1\n    command: ${command}\n    bids: [{ on: GoalDefined, bid: exclusive }]\n`;

/** A container knows this machine by that name; a process finds it all the same. */
function settings({ parallel = 10, more = "" } = {}): string {
  const url = `http://host.docker.internal:${new URL(provider.url).port}/v1`;
  const model = `{ provider: openai, base_url: "${url}", model: test-model, key: "\${PROVIDER_KEY}", parallel: ${parallel} }`;
  return `version: '1.0'\nlimits: { budget: { calls: 50 } }\nmodels:\n  local: ${model}\nagents:\n${asker}    model: local\n${more}`;
}

async function answerTo(words: string): Promise<string> {
  const goal = (await sett.need("forage", "--goal", words)).trim();
  const find = async () => {
    const artefacts: { type: string; payload: string }[] = JSON.parse(
      await sett.need("hoard", "--json", "--goal", goal),
    );
    return artefacts.find(({ type }) => type !== "GoalDefined");
  };
  return (await waitFor(`the answer to ${words}`, find, { everyMs: 50 })).payload;
}

const gateway = () => readSpec(sett.placeOf("gateway"));
const keysFolder = () => gateway()?.env.SETT_KEYS_DIR ?? "";

beforeAll(async () => {
  provider.onMessage("hello", { content: "Good day" });
  await provider.start();
  sett = await ProcessSett.create(settings());
  sett.env = { PROVIDER_KEY: key };
  expect(await sett.up()).toBe(`${sett.name} is up: redis, orchestrator, gateway, asker\n`);
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await provider.stop();
});

test("a command reaches the model through the gateway, which asks the provider on this machine with the only key that it accepts", async () => {
  expect(await answerTo("hello")).toBe("Good day");
});

test("the key is in memory, for this user alone, and in no file that stays", async () => {
  expect(keysFolder()).toStartWith("/dev/shm/");
  expect((await stat(keysFolder())).mode & 0o777).toBe(0o700);
  expect(await readdir(keysFolder())).toEqual(["local"]);
  expect((await stat(join(keysFolder(), "local"))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(keysFolder(), "local"), "utf8")).toBe(key);
  expect(await $`grep -rl ${key} ${sett.root}`.nothrow().text()).toBe("");
});

test("the gateway keeps its port and its keys when it starts again, and when nothing has changed", async () => {
  const port = gateway()?.ports;
  const before = sett.processOf("gateway");
  process.kill(before?.pid ?? 0, "SIGKILL");
  await waitFor("another gateway", () => {
    const now = sett.processOf("gateway");
    return now !== undefined && now.pid !== before?.pid;
  });
  expect(await sett.up()).toBe(
    `${sett.name} is up, and nothing has changed: redis, orchestrator, gateway, asker\n`,
  );
  expect(await answerTo("hello")).toBe("Good day");
  expect(gateway()?.ports).toEqual(port);
});

test("an `up` that fails leaves the earlier gateway with its keys", async () => {
  const { SETT_MODELS: models } = gateway()?.env ?? {};
  // The provider has this port.
  const newcomer = `  newcomer:\n    image: none:1\n    command: ["true"]\n    health_port: ${new URL(provider.url).port}\n`;
  await sett.write(settings({ parallel: 3, more: newcomer }));
  const failed = await sett.sett("up", "--name", sett.name);
  expect([failed.code, failed.err.includes("health port")]).toEqual([1, true]);
  expect(gateway()?.env.SETT_MODELS).toBe(models);
  expect(await answerTo("hello")).toBe("Good day");
  expect(await sett.need("status")).not.toContain("does not have the key");
  await sett.write(settings({ parallel: 3 }));
  expect(await sett.up()).toContain("replaced gateway; kept redis, orchestrator, asker");
  expect(await answerTo("hello")).toBe("Good day");
});

test("`down` removes the keys, and keeps the record of calls", async () => {
  const folder = keysFolder();
  await sett.need("down", "--name", sett.name);
  await expect(stat(folder)).rejects.toThrow("no such file");
  expect(await readdir(join(sett.state, "volumes", `sett-${sett.name}-record`))).not.toEqual([]);
});
