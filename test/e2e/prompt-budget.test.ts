// A prompt whose budget is spent in the middle of its work: it asks, a person allows more, and the work goes on where it was.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { textOf } from "../support/models/worker-scene.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

const play = () =>
  scriptedModel("openai", [
    { call: [["write_file", { path: "poem.txt", content: "badger\n" }]] },
    { call: [["run", { command: "cat poem.txt" }]] },
    { call: [["run", { command: "cat poem.txt" }]] },
    { call: [["finish", { type: "CodeCommit", summary: "A poem", message: "Add a poem" }]] },
  ]);

const settYml = (url: string) => `version: '1.0'
models:
  local: { provider: openai, base_url: "${url}", model: m, price: { input: 0, output: 0 } }
agents:
  poet:
    image: process
    model: local
    prompts: { execution: You write poems. }
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: rw }
    budget: { calls: 2 }
    on_budget: ask
`;

let model: ReturnType<typeof play>;
let sett: ProcessSett;

beforeAll(async () => {
  model = play();
  sett = await ProcessSett.create("");
  await sett.write(settYml(model.url));
  await sett.up();
}, 120_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

test("the question names the budget, the answer raises it, and what was written is still there", async () => {
  const goal = (await sett.need("forage", "--goal", "Write a poem")).trim();
  const find = async (type: string) => {
    const all: { id: string; type: string; payload: string }[] = JSON.parse(await sett.need("hoard", "--json", "--goal", goal));
    return all.find((one) => one.type === type);
  };
  const question = await waitFor("the question", () => find("BudgetExceeded"), { everyMs: 200 });
  expect(JSON.parse(question.payload)).toMatchObject({ scope: "grant", kind: "calls", limit: 2, spent: 2, needed: 1 });
  expect(await sett.need("questions")).toContain("How much more may be spent?");
  await sett.need("answer", question.id, "5 calls");
  const commit = await waitFor("the commit", () => find("CodeCommit"), { everyMs: 200 });
  await sett.need("hoard");
  expect(await sett.git("show", `${commit.payload}:poem.txt`)).toBe("badger");
  expect(await sett.git("log", "-1", "--format=%s", commit.payload)).toBe("Add a poem");
  // The model knows nothing of the money, and its file is where it left it.
  const resumed = model.requests.map(textOf);
  expect(resumed).toHaveLength(4);
  expect(resumed[2]).not.toContain("BudgetExceeded");
  expect(resumed[3]).toContain("Exit code 0\nbadger");
}, 120_000);
