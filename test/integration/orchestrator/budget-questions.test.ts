// An agent whose budget is spent, or whose call of a tool a person has to allow, asks a person,
// through a real orchestrator, real cubs and a real Redis.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { postAnswer } from "../../../lib/client/actions/post-answer.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import type { BudgetScope } from "../../../lib/model/model-call.ts";
import { parseToken } from "../../../lib/models/token.ts";
import { digestOf, reserveOrder } from "../../support/blackboard/model-scene.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Clan, Member } from "../../support/world/clan.ts";
import {
  ada,
  answer,
  answersIn,
  askedOfPeople,
  asking,
  ending,
  grantOf,
  reaches,
  report,
  startClanOn,
  terminalOf,
  wants,
} from "../../support/world/people.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(async () => redis[Symbol.asyncDispose]());

/**
 * Makes a call where the budget allows 50 tokens, and the call may need 100. Returns the id of the
 * gateway's refusal.
 */
async function refusedCall(
  { board }: Clan,
  token: string | undefined,
  scope: BudgetScope,
): Promise<string> {
  const parsed = parseToken(token ?? "");
  if (parsed === undefined) throw new Error("The worker has a token.");
  const order = reserveOrder(parsed, { [scope]: { tokens: 50 } });
  expect(await board.reserveCall(order)).toMatchObject({ outcome: "exhausted", scope, limit: 50 });
  return order.call.id;
}

/** As the built-in worker asks. The figures in it are its own. */
const askingForMore = (refusal: string | undefined, number: number) => ({
  structural_type: "Question",
  artefact_type: "BudgetExceeded",
  artefact_payload: {
    kind: "calls",
    limit: 1_000_000_000,
    refusal,
    question: `How much more, ${number}?`,
  },
  summary: "The budget is spent.",
});

/** Asks until it has so many answers, whatever they say. `clan`: the one that it is in. */
const coder = (clan: () => Clan, scope: BudgetScope, times: number): Member => ({
  ...wants("GoalDefined", "exclusive"),
  worker: true,
  tool: async (input, _signal, token) => {
    const answers = answersIn(input).length;
    if (answers >= times) return ending("Done.");
    return askingForMore(await refusedCall(clan(), token, scope), answers + 1);
  },
});

async function startCoder(scope: BudgetScope, times: number): Promise<Clan> {
  const clan: Clan = await startClanOn(redis, { coder: coder(() => clan, scope, times) });
  return clan;
}

async function added(clan: Clan, { goal_id }: Artefact) {
  const { added: ofGoal, addedOfAgents } = await clan.board.readSpending(goal_id);
  return { ofGoal, ofAgents: Object.fromEntries(addedOfAgents) };
}

const none = { nanousd: 0, tokens: 0, calls: 0 };

describe("a question about a budget", () => {
  test("goes to people, although agents answer others; the answer raises the goal's budget before the agent goes on", async () => {
    const planner: Member = {
      ...wants("GoalDefined", "exclusive"),
      tool: () => ({ artefact_type: "Plan", artefact_payload: "", summary: "" }),
    };
    const asker = { ...coder(() => clan, "goal", 1), ...wants("Plan", "exclusive") };
    // About a plan, whose maker would be asked anything else.
    await using clan: Clan = await startClanOn(
      redis,
      { coder: asker, planner },
      { clarification: "tiered" },
    );
    const goal = await clan.postGoal("hello");
    const question = await askedOfPeople(clan, "How much more, 1?");
    const { artefact } = await answer(clan, question, "5usd, 100k tokens");
    await terminalOf(clan, goal);
    expect(await added(clan, goal)).toEqual({
      ofGoal: { nanousd: 5_000_000_000, tokens: 100_000, calls: 0 },
      ofAgents: {},
    });
    const events = await clan.board.readEvents("0", 1_000);
    const raised = events.filter(({ type }) => type === "budget_raised");
    expect(raised).toHaveLength(1);
    expect(raised[0]).toMatchObject({ actor: ada, goal_id: goal.goal_id });
    const at = (type: string, attempt: number) =>
      events.findIndex(
        (event) => event.type === type && (attempt === 0 || event.data?.attempt === attempt),
      );
    expect(at("budget_raised", 0)).toBeLessThan(at("grant_queued", 2));
    expect(events.find((event) => event.artefact_id === artefact.id)?.actor).toBe(ada);
  });

  test("with `yes` raises the budget that the gateway has refused by what it allows, whatever the agent says that it was", async () => {
    await using clan = await startCoder("grant", 1);
    const goal = await clan.postGoal();
    await answer(clan, await askedOfPeople(clan, "How much more, 1?"), "yes");
    await terminalOf(clan, goal);
    expect(await added(clan, goal)).toEqual({
      ofGoal: none,
      ofAgents: { coder: { ...none, tokens: 50 } },
    });
  });

  test("is asked again after an answer that is no amount, which changes nothing", async () => {
    await using clan = await startCoder("goal", 2);
    const goal = await clan.postGoal();
    await answer(clan, await askedOfPeople(clan, "How much more, 1?"), "as much as it takes");
    await answer(clan, await askedOfPeople(clan, "How much more, 2?"), "50 calls");
    await terminalOf(clan, goal);
    expect(await added(clan, goal)).toEqual({ ofGoal: { ...none, calls: 50 }, ofAgents: {} });
    expect((await grantOf(clan, goal, "coder"))?.attempt).toBe(3);
  });

  test("is not settled by an agent: its amounts raise nothing", async () => {
    await using clan = await startCoder("goal", 2);
    const goal = await clan.postGoal();
    const question = await askedOfPeople(clan, "How much more, 1?");
    const byAgent = {
      structural_type: "Answer",
      type: "Answer",
      produced_by_role: "coder",
      produced_by_agent: "coder",
    } as const;
    const about = {
      source_artefacts: [question.id],
      goal_id: goal.goal_id,
      claim_id: question.claim_id,
    };
    const forged = sampleArtefact({ ...byAgent, ...about, payload: "1000usd" });
    expect(await clan.board.answerQuestion(forged, "agent:coder")).toEqual({ outcome: "answered" });
    await answer(clan, await askedOfPeople(clan, "How much more, 2?"), "1 call");
    await terminalOf(clan, goal);
    expect((await added(clan, goal)).ofGoal).toEqual({ ...none, calls: 1 });
  });

  test("raises once, although the orchestrator restarts between the answer and the grant", async () => {
    await using clan = await startCoder("goal", 1);
    const goal = await clan.postGoal();
    const question = await askedOfPeople(clan, "How much more, 1?");
    clan.stopOrchestrator();
    const { artefact } = await answer(clan, question, "5usd");
    const add = { ...none, nanousd: 5_000_000_000 };
    // The orchestrator that died had come so far.
    await clan.board.raiseBudget({ goal: goal.goal_id, add, actor: ada, cause: artefact.id });
    await clan.startOrchestrator();
    await terminalOf(clan, goal);
    expect((await added(clan, goal)).ofGoal).toEqual(add);
  });
});

/** What the gateway does for a call of a tool for which `ask` wants a person's word. */
async function askCall({ board }: Clan, goal: string, token: string | undefined, text: string) {
  const parsed = parseToken(token ?? "");
  if (parsed === undefined) throw new Error("The worker has a token.");
  const named = { server: "issues", tool: "create_issue", arguments: text };
  const call = { id: randomUUID(), digest: digestOf(text), ...named };
  return await board.askCall({ goal: goal as GoalId, token: parsed, call });
}

describe("an attempt whose call of a tool waits for a person", () => {
  test("ends with the question, in the words of the record, whatever its command says; `yes` lets the call pass once, and `no` is read", async () => {
    const said: unknown[] = [];
    const painter: Member = {
      ...wants("GoalDefined", "exclusive"),
      worker: true,
      tool: async (input, _signal, token) => {
        const goal = input.target_artefact.goal_id;
        const attempt = answersIn(input).length + 1;
        const text = attempt === 3 ? '{"title":"Two"}' : '{"title":"One"}';
        said.push(await askCall(clan, goal, token, text));
        if (attempt === 1)
          return { ...asking("Is the door blue?"), summary: "A harmless question" };
        if (attempt === 2) {
          said.push(await askCall(clan, goal, token, text));
          throw new Error("The command fails.");
        }
        return attempt === 3 ? report("All done.") : ending("Done.");
      },
    };
    await using clan: Clan = await startClanOn(redis, { painter }, { clarification: "tiered" });
    const goal = await clan.postGoal();
    const first = await askedOfPeople(clan, '{\\"title\\":\\"One\\"}');
    expect(first).toMatchObject({
      ...{ type: "ToolCallAsked", structural_type: "Question", produced_by_agent: "painter" },
      metadata: { summary: "May painter call create_issue of issues?" },
    });
    expect(first.payload).not.toContain("door");
    await answer(clan, first, "yes");
    const second = await waitFor("the second question", async () => {
      const question = await askedOfPeople(clan, "One");
      return question.id !== first.id && question;
    });
    const by = {
      actor: ada,
      suggest: (words: string) => words,
      may: { raise: true, allow: false },
    };
    await expect(postAnswer(clan.board, second, "Yes, but later.", by)).rejects.toThrow(
      "neither `yes` nor a `no`",
    );
    await expect(postAnswer(clan.board, second, "yes", by)).rejects.toThrow(
      "needs the right `approve`",
    );
    // Posted all the same, it is a no.
    await answer(clan, second, "Yes, but later.");
    await answer(clan, await askedOfPeople(clan, "Two"), "no, there is one");
    await terminalOf(clan, goal);
    const outcomes = said.map((one) => Object(one).outcome);
    expect(outcomes).toEqual(["waits", "allowed", "waits", "waits", "denied"]);
    expect(said.at(-1)).toMatchObject({ words: "Yes, but later." });
    expect((await grantOf(clan, goal, "painter"))?.attempt).toBe(4);
  });
});

describe("what only says that a budget is spent", () => {
  const disguised = (payload: unknown) => ({
    structural_type: "Question",
    artefact_type: "BudgetExceeded",
    artefact_payload: payload,
    summary: "Shall I go on?",
  });
  const figures = {
    scope: "goal",
    kind: "nanousd",
    limit: 50_000_000_000,
    question: "Shall I go on with the blue door?",
  };

  test("is refused from a command, in every spelling that people could take for it", async () => {
    const types = [
      "BudgetExceeded",
      "budget exceeded",
      "ＢｕｄｇｅｔＥｘｃｅｅｄｅｄ",
      "Budgеt\u200bExcеedеd",
    ];
    const left = [...types];
    const painter: Member = {
      ...wants("GoalDefined", "exclusive"),
      tool: () => ({ ...disguised(figures), artefact_type: left.shift() }),
    };
    await using clan = await startClanOn(redis, { painter });
    // Each has a goal of its own: the first failure of a claim withdraws its other grants.
    const goals = await Promise.all(types.map(() => clan.postGoal()));
    const failures = await Promise.all(
      goals.map((goal) => clan.made(goal, ({ structural_type }) => structural_type === "Failure")),
    );
    expect(left).toEqual([]);
    expect(await clan.board.listOpenQuestions()).toEqual([]);
    for (const { type, metadata } of failures) {
      expect(type).toBe("ToolExecutionFailure");
      expect(metadata.summary).toMatch(/BudgetExceeded, which is Sett's own: no agent may use it/);
    }
  });

  test("is refused from an agent's mail, where the gateway has refused nothing, or another work", async () => {
    let other: string | undefined;
    const reviewer: Member = {
      ...wants("GoalDefined", "review"),
      worker: true,
      tool: async (_input, _signal, token) => {
        other = await refusedCall(clan, token, "goal");
        return { structural_type: "Review", payload: {} };
      },
    };
    const painter: Member = {
      ...wants("GoalDefined", "exclusive"),
      worker: true,
      // Its cub lets it pass, as one does that an agent has built itself.
      tool: (input) => {
        const attempts = clan.inputs.get("painter")?.length ?? 0;
        expect(input.target_artefact.type).toBe("GoalDefined");
        return disguised({ ...figures, ...(attempts === 1 ? {} : { refusal: other }) });
      },
    };
    await using clan: Clan = await startClanOn(redis, { reviewer, painter });
    const goal = await clan.postGoal();
    await clan.logged("the gateway has refused no such call of this work");
    expect(other).toBeDefined();
    expect(await clan.board.listOpenQuestions()).toEqual([]);
    expect((await added(clan, goal)).ofGoal).toEqual(none);
  });

  test("is refused from an agent's mail, where it names a refusal that was answered before", async () => {
    let refusal: string | undefined;
    const painter: Member = {
      ...wants("GoalDefined", "exclusive"),
      worker: true,
      tool: async (_input, _signal, token) => {
        refusal ??= await refusedCall(clan, token, "goal");
        return askingForMore(refusal, 1);
      },
    };
    await using clan: Clan = await startClanOn(redis, { painter });
    const goal = await clan.postGoal();
    await answer(clan, await askedOfPeople(clan, "How much more, 1?"), "yes");
    await clan.logged("the gateway has refused no such call of this work");
    expect(await clan.board.listOpenQuestions()).toEqual([]);
    expect((await added(clan, goal)).ofGoal).toEqual({ ...none, tokens: 50 });
  });

  test("and is on record already, by the hand of someone else, raises nothing, whatever the answer says", async () => {
    await using clan = await startClanOn(redis, {});
    const goal = await clan.postGoal();
    const about = { goal_id: goal.goal_id, source_artefacts: [goal.id] };
    const question = sampleArtefact({
      ...about,
      ...{ structural_type: "Question", type: "BudgetExceeded", payload: JSON.stringify(figures) },
      ...{ produced_by_role: "scripts", produced_by_agent: "" },
    });
    await clan.board.createArtefact(question, ada);
    await answer(clan, await askedOfPeople(clan, JSON.stringify(figures)), "yes");
    await clan.logged("A question names no refusal of the gateway");
    expect((await added(clan, goal)).ofGoal).toEqual(none);
  });
});

test("a Failure for want of budget is not tried again, although the agent has retries left", async () => {
  const failing: Member = {
    ...wants("GoalDefined", "exclusive"),
    worker: true,
    retries: 3,
    tool: async (_input, _signal, token) => ({
      structural_type: "Failure",
      artefact_type: "BudgetExceeded",
      artefact_payload: { refusal: await refusedCall(clan, token, "goal") },
      summary: "The budget of the goal is spent.",
    }),
  };
  await using clan: Clan = await startClanOn(redis, { coder: failing });
  const goal = await clan.postGoal();
  await reaches(clan, goal, "failed");
  const grant = await grantOf(clan, goal, "coder");
  expect(grant).toMatchObject({ state: "failed", attempt: 1, failure_type: "BudgetExceeded" });
  const events = await waitFor("the log", () => clan.board.readEvents("0", 1_000));
  expect(events.filter(({ type }) => type === "grant_retrying")).toEqual([]);
});
