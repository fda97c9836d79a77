// Raising a budget is a right of its own: by an answer, by the API, by a command line from afar,
// and by an assistant.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { ApiScene, type TokenName } from "../../support/api/api-scene.ts";
import { reserveOrder } from "../../support/blackboard/model-scene.ts";
import { connectEditor } from "../../support/cli/editor.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { sampleRepository } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

let here: ReturnType<typeof sampleRepository>;
let scene: ApiScene;

beforeAll(async () => {
  here = sampleRepository();
  scene = await ApiScene.start({
    coder: {
      behaviour: {
        bid: ({ type }) => (type === "GoalDefined" ? "exclusive" : "ignore"),
        hasModel: true,
        work: async (_goal, attempt, token) => {
          if (attempt > 1) return { structural_type: "Terminal", type: "Report", payload: "Done." };
          const order = reserveOrder(token, { goal: { nanousd: 500 } });
          await scene.clan.board.reserveCall(order);
          const payload = JSON.stringify({
            refusal: order.call.id,
            question: "Shall I go on with the blue door?",
          });
          return { structural_type: "Question", type: "BudgetExceeded", payload };
        },
      },
    },
  });
  await scene.clan.board.announceGateway({
    started_at: "2026-01-01T00:00:00.000Z",
    goal_budget: {},
    agents: {},
    models: {},
  });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  here[Symbol.dispose]();
});

const env = (as: TokenName) => ({ SETT_API: scene.url, SETT_API_TOKEN: scene.tokens[as] });
const sett = (as: TokenName, ...words: string[]) =>
  runSett(words, { cwd: here.path, env: env(as) });

async function askedFor(): Promise<{ goal: GoalId; question: ArtefactId }> {
  const { goal_id: goal } = await scene.clan.postGoal();
  const of = async (id: ArtefactId) => (await scene.clan.board.readArtefact(id))?.goal_id;
  const question = await waitFor("the question", async () => {
    for (const id of await scene.clan.board.listOpenQuestions())
      if ((await of(id)) === goal) return id;
    return undefined;
  });
  return { goal, question };
}

const addedTo = async (goal: GoalId) => (await scene.clan.board.readSpending(goal)).added.nanousd;
const refused = {
  status: 403,
  body: { code: "not-allowed", detail: expect.stringContaining("the right `budget`") },
};

test("what the record says of the budget is shown beside the question's own words", async () => {
  const { goal, question } = await askedFor();
  const { body } = await scene.ask("GET", `/v1/questions?goal=${goal}`, { as: "reader" });
  const budget = {
    limit: 500,
    spent: 0,
    needed: 1_000,
    yes_adds: "$0.0000005 to the budget of the goal",
  };
  expect(body).toMatchObject({
    items: [{ id: question, budget, text: "Shall I go on with the blue door?" }],
  });
});

test("an answer that raises a budget needs the right, and so does the rise itself", async () => {
  const { goal, question } = await askedFor();
  const answer = (as: TokenName, text: string) =>
    scene.ask("POST", `/v1/questions/${question}/answer`, { as, body: { text } });
  const raise = (as: TokenName) =>
    scene.ask("POST", `/v1/goals/${goal}/budget`, { as, body: { add: "1usd" } });
  expect(await answer("answerer", "yes")).toMatchObject(refused);
  expect(await raise("answerer")).toMatchObject({ status: 403 });
  expect(await answer("treasurer", "go on")).toMatchObject({ status: 422 });
  expect(await addedTo(goal)).toBe(0);
  expect(await answer("treasurer", "yes")).toMatchObject({ status: 201 });
  await waitFor("the rise", async () => (await addedTo(goal)) === 500);
  expect(await raise("treasurer")).toMatchObject({ status: 200 });
  expect(await addedTo(goal)).toBe(1_000_000_500);
});

test("a command line from afar has the rights of its token", async () => {
  const { goal, question } = await askedFor();
  const lacks = { code: 1, err: expect.stringContaining("the right `budget`") };
  expect(await sett("answerer", "answer", question, "yes")).toMatchObject(lacks);
  expect(await sett("answerer", "budget", goal, "--add", "1usd")).toMatchObject(lacks);
  expect(await addedTo(goal)).toBe(0);
  expect(await sett("treasurer", "budget", goal, "--add", "1usd")).toMatchObject({ code: 0 });
  expect(await sett("treasurer", "answer", question, "yes")).toMatchObject({ code: 0 });
  await waitFor("the rise", async () => (await addedTo(goal)) === 1_000_000_500);
});

nightly("an assistant has the right only where `--may` names it", async () => {
  const { goal, question } = await askedFor();
  const connect = (...options: string[]) =>
    connectEditor({ cwd: here.path, env: env("all"), options });
  await using usual = await connect();
  const listed = await usual.call("list_questions", { goal });
  expect(listed.data).toMatchObject({
    waiting: [{ id: question, budget: { kind: "nanousd", limit: 500 } }],
  });
  const answered = await usual.call("answer_question", { question, text: "yes" });
  expect(answered).toMatchObject({
    isError: true,
    text: expect.stringContaining("the right `budget`"),
  });
  expect(await addedTo(goal)).toBe(0);
  await using trusted = await connect("--may", "read,answer,budget");
  expect(await trusted.call("answer_question", { question, text: "yes" })).toMatchObject({
    isError: false,
  });
  await waitFor("the rise", async () => (await addedTo(goal)) === 500);
});
