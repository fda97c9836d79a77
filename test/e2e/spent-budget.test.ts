// Shows what people do about a budget that is spent: they answer the agent's question, or raise the
// budget and try again. Without containers.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import { type ScriptedCall, scriptedModel } from "../support/models/scripted-model.ts";
import { nightly } from "../support/nightly.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

const write: ScriptedCall = ["write_file", { path: "garden.txt", content: "a rose\n" }];
const look: ScriptedCall = ["run", { command: "cat garden.txt" }];
const finish: ScriptedCall = [
  "finish",
  { type: "CodeCommit", summary: "Planted", message: "Plant a rose" },
];

/** One call of a tool in each answer. The budgets here allow two answers. */
const working = (...calls: ScriptedCall[]) =>
  scriptedModel(
    "openai",
    calls.map((call) => ({ call: [call] })),
  );

let models: Record<"asker" | "failer", ReturnType<typeof working>>;
let sett: ProcessSett;

const agent = (name: string, more: string) => `  ${name}:
    image: none:1
    model: ${name}
    prompts: { execution: Plant what the goal asks for. }
    bid_command: ["jq", "-r", 'if .payload == "${name}" then "exclusive" else "ignore" end']
    workspace: { mode: rw }
${more}`;

beforeAll(async () => {
  // The work of the one goes on where it asked. That of the other begins again.
  models = {
    asker: working(write, look, finish),
    failer: working(write, look, write, look, finish, write, finish),
  };
  const model = ([name, { url }]: [string, { url: string }]) =>
    `  ${name}: { provider: openai, base_url: "${url}", model: m }\n`;
  sett = await ProcessSett.create(
    `version: '1.0'
models:
${Object.entries(models).map(model).join("")}limits: { budget: { per_goal: 100 calls, per_day: 8 calls } }
agents:
${agent("asker", "    budget: { calls: 2 }\n    on_budget: ask\n")}${agent("failer", "    budget: { calls: 2 }\n")}`,
  );
  await sett.up();
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  for (const model of Object.values(models)) await model[Symbol.asyncDispose]();
});

async function untilThereIs(goal: string, isWanted: (one: Artefact) => boolean): Promise<Artefact> {
  return await waitFor("the artefact", async () => {
    const artefacts: Artefact[] = JSON.parse(await sett.need("hoard", "--json", "--goal", goal));
    return artefacts.find(isWanted);
  });
}

async function raised(goal: string): Promise<SettEvent[]> {
  const lines = (await sett.need("watch", "--no-follow", "-o", "jsonl", "--goal", goal))
    .trim()
    .split("\n");
  return lines
    .map((line): SettEvent => JSON.parse(line))
    .filter(({ type }) => type === "budget_raised");
}

test("an agent whose budget is spent asks a person, and goes on where it was with what the answer adds", async () => {
  const goal = (await sett.need("forage", "--goal", "asker")).trim();
  const question = await untilThereIs(goal, (one) => one.structural_type === "Question");
  expect(question).toMatchObject({ type: "BudgetExceeded", produced_by_agent: "asker" });
  await waitFor("it to reach people", async () =>
    (await sett.need("questions")).includes("How much more may be spent?"),
  );
  const wrong = await sett.sett("answer", question.id, "a lot");
  expect(wrong.code).not.toBe(0);
  expect(models.asker.requests.length).toBe(2);

  await sett.need("answer", question.id, "1 call");
  const commit = await untilThereIs(goal, ({ type }) => type === "CodeCommit");
  expect(models.asker.requests.length).toBe(3);
  // Money is no part of what the model is to know.
  expect(models.asker.requests[2]?.text).not.toContain("BudgetExceeded");
  // What it had written before it asked is in its commit, which is one.
  expect(await sett.git("show", "--format=%s", "--name-only", commit.payload)).toBe(
    "Plant a rose\n\ngarden.txt",
  );
  expect(await raised(goal)).toEqual([
    expect.objectContaining({ actor: expect.stringContaining("ada@sett.invalid") }),
  ]);
}, 300_000);

nightly(
  "an agent that does not ask fails, and after a rise of its budget another try reaches the goal",
  async () => {
    const goal = (await sett.need("forage", "--goal", "failer")).trim();
    const failure = await untilThereIs(goal, (one) => one.structural_type === "Failure");
    expect(failure.type).toBe("BudgetExceeded");
    expect(JSON.parse(failure.payload)).toMatchObject({
      scope: "grant",
      kind: "calls",
      limit: 2,
      spent: 2,
      needed: 1,
    });

    await sett.need("budget", goal, "--add", "1 call", "--agent", "failer");
    await sett.need("retry", failure.id);
    await untilThereIs(goal, ({ type }) => type === "CodeCommit");
    expect((await raised(goal)).length).toBe(1);
  },
  300_000,
);

nightly(
  "what is spent in a day holds new work, which begins when a person raises the budget",
  async () => {
    // Both goals before have used the eight calls of the day.
    const first = (await sett.need("forage", "--goal", "failer")).trim();
    const failure = await untilThereIs(first, (one) => one.structural_type === "Failure");
    expect(JSON.parse(failure.payload)).toMatchObject({
      scope: "day",
      whose: "instance",
      spent: 8,
    });
    const goal = (await sett.need("forage", "--goal", "failer")).trim();
    const status = await waitFor("the held work", async () => {
      const text = await sett.need("status");
      return text.includes("is used up (8 calls of 8 calls)") && text;
    });
    expect(status).toContain(
      "its new work waits; to raise it: sett budget --add 50calls --per day",
    );
    expect(JSON.parse(await sett.need("status", "--json")).held).toMatchObject([
      { whose: "instance" },
    ]);
    expect(models.failer.requests.length).toBe(5);

    await sett.need("budget", "--add", "20 calls", "--per", "day");
    await untilThereIs(goal, ({ type }) => type === "CodeCommit");
    const { periods } = JSON.parse(await sett.need("budget", goal, "--json"));
    expect(periods[0]).toMatchObject({
      whose: "instance",
      period: "day",
      limits: { calls: 28 },
      spent: { calls: 10 },
      holds_new_work: false,
    });
    const events = (await sett.need("watch", "--no-follow", "-o", "jsonl")).trim().split("\n");
    const reached = events.filter((line) => line.includes("budget_reached"));
    expect(reached).toHaveLength(1);
  },
  300_000,
);
