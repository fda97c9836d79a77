// Shows what an agent and its model have said, and what it has cost, as people see it: by the real
// gateway, without a container.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { LLMock } from "@copilotkit/aimock";
import { $ } from "bun";
import { nightly } from "../support/nightly.ts";
import { root } from "../support/root.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const key = "sk-of-the-tests-two";
const provider = new LLMock({
  port: 0,
  host: "127.0.0.1",
  logLevel: "silent",
  auth: { apiKeys: [key] },
});
const command = JSON.stringify([
  process.execPath,
  "run",
  join(root, "test/support/models/asker.ts"),
]);
let sett: ProcessSett;
let answer: string;
/** Outside of the repository, which stays clean. */
const archive = () => join(sett.root, "old.jsonl");

function settings({ record = "bodies", price = "{ input: 1000, output: 1000 }" } = {}): string {
  const url = `http://127.0.0.1:${new URL(provider.url).port}/v1`;
  const model = `{ provider: openai, base_url: "${url}", model: test-model, key: "\${PROVIDER_KEY}", price: ${price} }`;
  const agent = `  asker:\n    image: none:1\n    command: ${command}\n    bids: [{ on: GoalDefined, bid: exclusive }]\n    model: local\n`;
  return `version: '1.0'\nlimits: { budget: { usd: 50 } }\nmodels:\n  record: ${record}\n  local: ${model}\nagents:\n${agent}`;
}

async function idOfAnswer(words: string): Promise<string> {
  const goal = (await sett.need("forage", "--goal", words)).trim();
  const find = async () => {
    const artefacts: { id: string; type: string }[] = JSON.parse(
      await sett.need("hoard", "--json", "--goal", goal),
    );
    return artefacts.find(({ type }) => type !== "GoalDefined");
  };
  return (await waitFor(`the answer to ${words}`, find, { everyMs: 50 })).id;
}

beforeAll(async () => {
  provider.onMessage("hello", { content: "Good day" });
  await provider.start();
  sett = await ProcessSett.create(settings());
  sett.env = { PROVIDER_KEY: key };
  await sett.up();
  answer = await idOfAnswer("hello");
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await provider.stop();
});

test("the conversation that led to a result is shown, without a key", async () => {
  const text = await sett.need("unearth", answer, "--transcript");
  expect(text).toMatch(/^Conversation with local \(.+\): \$[\d.]+, \d+ tokens, 1 call\n/);
  expect(text).toMatch(/\nuser\n {2}.*hello/);
  expect(text).toMatch(/\nassistant\n {2}Good day\n$/);
  expect(text).not.toContain(key);
});

nightly("as JSON it has each call, with the bodies as they were", async () => {
  const json = await sett.need("unearth", answer, "--transcript", "--json");
  expect(json).not.toContain(key);
  const { artefact_id, calls } = JSON.parse(json);
  expect(artefact_id).toBe(answer);
  expect(calls).toMatchObject([
    {
      agent: "asker",
      model: "local",
      outcome: "ok",
      request_body: { messages: [{ role: "user" }] },
    },
  ]);
  expect(JSON.stringify(calls[0].answer_body)).toContain("Good day");
});

test("what it has cost is shown by `budget`, `status`, `hoard` and `graph`", async () => {
  const { spent, limits, agents, models } = JSON.parse(await sett.need("budget", "--json"));
  expect(limits).toEqual({ usd: 50, tokens: null, calls: null });
  expect(spent.usd).toBeCloseTo(spent.tokens / 1_000, 6);
  expect([agents[0]?.name, agents[0]?.spent, models[0]?.name]).toEqual(["asker", spent, "local"]);
  expect(JSON.parse(await sett.need("status", "--json")).goals[0].cost.agents.asker).toEqual(spent);
  expect(JSON.parse(await sett.need("hoard", answer, "--json")).cost).toEqual(spent);
  expect(await sett.need("graph", "--format", "tree")).toContain("cost $");
});

nightly("an archive shows the cost, and the conversation as long as its gateway runs", async () => {
  await waitFor(
    "the goal to be over",
    async () => JSON.parse(await sett.need("status", "--json")).goals[0].waiting_for.length === 0,
  );
  await sett.need("prune", "--before", "0s", "--to", archive());
  expect(
    JSON.parse(await sett.need("unearth", "--archive", archive(), answer, "--json")).cost.calls,
  ).toBe(1);
  expect(await sett.need("unearth", "--archive", archive(), answer, "--transcript")).toContain(
    "Good day",
  );
});

nightly(
  "a result to which no call has led has no conversation, and a goal has all of its calls",
  async () => {
    const answered = JSON.parse(await sett.need("unearth", await idOfAnswer("hello"), "--json"));
    const note = (
      await sett.need("post", "Note", "--payload", "x", "--from", answered.id, "--json")
    ).trim();
    const { code, err } = await sett.sett("unearth", JSON.parse(note).id, "--transcript");
    expect([code, err]).toEqual([
      0,
      expect.stringContaining("No call of a language model led to this artefact."),
    ]);
    const whole = await sett.need("unearth", answered.goal_id, "--transcript", "--json");
    const { calls } = JSON.parse(whole);
    const { calls: ofAnswer } = JSON.parse(
      await sett.need("unearth", answered.id, "--transcript", "--json"),
    );
    expect(calls).toEqual(ofAnswer);
    expect(await sett.need("unearth", answered.goal_id, "--transcript")).toContain("Good day");
  },
);

nightly("a back-up has the conversations, no key, and brings them back", async () => {
  const backup = join(sett.root, "with-calls.sett");
  const shown = await sett.need("unearth", await idOfAnswer("hello"), "--transcript");
  const [kept] = JSON.parse(await sett.need("hoard", "--json")).slice(-1);
  await sett.need("backup", backup);
  const names = await $`tar -tf ${backup}`.text();
  expect(names).toMatch(/^record\/[0-9a-f]{2}\/[0-9a-f]{62}\.gz$/m);
  expect(await Bun.file(backup).text()).not.toContain(key);
  await sett.need("down", "--volumes");
  const keys = join(sett.root, "keys");
  const { code, err } = await sett.sett("restore", backup, "--keys", keys);
  expect([code, err]).toEqual([2, expect.stringContaining(`${backup} has no keys.`)]);
  await sett.need("restore", backup, "--runtime", "process");
  await sett.up();
  expect(await sett.need("unearth", kept.id, "--transcript")).toBe(shown);
});

nightly(
  "keys are in a back-up where a person asks for them, and the command says which",
  async () => {
    const backup = join(sett.root, "with-keys.sett");
    const keys = join(sett.root, "keys");
    const taken = await sett.sett("backup", backup, "--keys");
    expect(taken.err).toContain("It has keys in the clear: models/local.");
    await sett.need("down");
    const restored = await sett.sett(
      ...["restore", backup, "--replace", "--keys", keys, "--runtime", "process"],
    );
    expect(restored.err).toContain(`Keys are in ${keys}, in the clear: models/local.`);
    expect(await Bun.file(join(keys, "models/local")).text()).toBe(key);
    expect((await stat(join(keys, "models/local"))).mode & 0o777).toBe(0o600);
  },
);

nightly(
  "where only digests are kept, or the gateway does not run, a sentence says so",
  async () => {
    await sett.write(settings({ record: "digests" }));
    await sett.up();
    // Another question: the body of the first is on the volume.
    provider.onMessage("farewell", { content: "Good night" });
    const unkept = await idOfAnswer("farewell");
    const { code, err } = await sett.sett("unearth", unkept, "--transcript");
    expect(code).toBe(1);
    expect(err).toContain("A call of a model led to it, and its bodies are not kept.");
    expect(err).toContain("`record: digests`");
    expect(
      JSON.parse(await sett.need("unearth", unkept, "--transcript", "--json")).calls,
    ).toMatchObject([
      {
        request_body: null,
        answer_body: null,
        request: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
    await sett.need("down", "--name", sett.name);
    const stopped = await sett.sett("unearth", "--archive", archive(), answer, "--transcript");
    expect(stopped.code).toBe(1);
    expect(stopped.err).toContain(`There is no gateway of ${sett.name} on this machine`);
  },
);
