// An agent whose budget is spent asks a person for more, through a real orchestrator, real cubs and a real Redis.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Clan, Member } from "../../support/world/clan.ts";
import {
  ada,
  answer,
  answersIn,
  askedOfPeople,
  ending,
  grantOf,
  reaches,
  startClanOn,
  terminalOf,
  wants,
} from "../../support/world/people.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(async () => redis[Symbol.asyncDispose]());

const exhausted = { kind: "tokens", limit: 1_000_000_000, spent: 1_000_000_000, reserved: 0, needed: 1 };

/** As the built-in worker asks. */
const askingForMore = (scope: string, number: number) => ({
  structural_type: "Question",
  artefact_type: "BudgetExceeded",
  artefact_payload: { ...exhausted, scope, question: `How much more, ${number}?` },
  summary: "The budget is spent.",
});

/** Asks until it has so many answers, whatever they say. */
const coder = (scope: string, times: number): Member => ({
  ...wants("GoalDefined", "exclusive"),
  tool: (input) => {
    const answers = answersIn(input).length;
    return answers < times ? askingForMore(scope, answers + 1) : ending("Done.");
  },
});

async function added(clan: Clan, { goal_id }: Artefact) {
  const { added: ofGoal, addedOfAgents } = await clan.board.readSpending(goal_id);
  return { ofGoal, ofAgents: Object.fromEntries(addedOfAgents) };
}

const none = { nanousd: 0, tokens: 0, calls: 0 };
const notice = {
  started_at: "2026-01-01T00:00:00.000Z",
  goal_budget: { tokens: 5_000 },
  agents: { coder: { model: "strong", budget: { tokens: 700 } } },
  models: {},
};

describe("a question about a budget", () => {
  test("goes to people, although agents answer others; the answer raises the goal's budget before the agent goes on", async () => {
    const planner: Member = {
      ...wants("GoalDefined", "exclusive"),
      tool: () => ({ artefact_type: "Plan", artefact_payload: "", summary: "" }),
    };
    const asker = { ...coder("goal", 1), ...wants("Plan", "exclusive") };
    // About a plan, whose maker would be asked anything else.
    await using clan = await startClanOn(redis, { coder: asker, planner }, { clarification: "tiered" });
    const goal = await clan.postGoal("hello");
    const question = await askedOfPeople(clan, "How much more, 1?");
    const { artefact } = await answer(clan, question, "5usd, 100k tokens");
    await terminalOf(clan, goal);
    expect(await added(clan, goal)).toEqual({ ofGoal: { nanousd: 5_000_000_000, tokens: 100_000, calls: 0 }, ofAgents: {} });
    const events = await clan.board.readEvents("0", 1_000);
    const raised = events.filter(({ type }) => type === "budget_raised");
    expect(raised).toHaveLength(1);
    expect(raised[0]).toMatchObject({ actor: ada, goal_id: goal.goal_id });
    const at = (type: string, attempt: number) =>
      events.findIndex((event) => event.type === type && (attempt === 0 || event.data?.attempt === attempt));
    expect(at("budget_raised", 0)).toBeLessThan(at("grant_queued", 2));
    expect(events.find((event) => event.artefact_id === artefact.id)?.actor).toBe(ada);
  });

  test("with `yes` raises the agent's own budget by what sett.yml allows, whatever the agent says that it was", async () => {
    await using clan = await startClanOn(redis, { coder: coder("grant", 1) });
    await clan.board.announceGateway(notice);
    const goal = await clan.postGoal();
    await answer(clan, await askedOfPeople(clan, "How much more, 1?"), "yes");
    await terminalOf(clan, goal);
    expect(await added(clan, goal)).toEqual({ ofGoal: none, ofAgents: { coder: { ...none, tokens: 700 } } });
  });

  test("is asked again after an answer that is no amount, which changes nothing", async () => {
    await using clan = await startClanOn(redis, { coder: coder("goal", 3) });
    const goal = await clan.postGoal();
    await answer(clan, await askedOfPeople(clan, "How much more, 1?"), "as much as it takes");
    // No gateway has announced what the limit was.
    await answer(clan, await askedOfPeople(clan, "How much more, 2?"), "yes");
    await answer(clan, await askedOfPeople(clan, "How much more, 3?"), "50 calls");
    await terminalOf(clan, goal);
    expect(await added(clan, goal)).toEqual({ ofGoal: { ...none, calls: 50 }, ofAgents: {} });
    expect((await grantOf(clan, goal, "coder"))?.attempt).toBe(4);
  });

  test("is not settled by an agent: its amounts raise nothing", async () => {
    await using clan = await startClanOn(redis, { coder: coder("goal", 2) });
    const goal = await clan.postGoal();
    const question = await askedOfPeople(clan, "How much more, 1?");
    const byAgent = { structural_type: "Answer", type: "Answer", produced_by_role: "coder", produced_by_agent: "coder" } as const;
    const about = { source_artefacts: [question.id], goal_id: goal.goal_id, claim_id: question.claim_id };
    const forged = sampleArtefact({ ...byAgent, ...about, payload: "1000usd" });
    expect(await clan.board.answerQuestion(forged, "agent:coder")).toEqual({ outcome: "answered" });
    await answer(clan, await askedOfPeople(clan, "How much more, 2?"), "1 call");
    await terminalOf(clan, goal);
    expect((await added(clan, goal)).ofGoal).toEqual({ ...none, calls: 1 });
  });

  test("raises once, although the orchestrator restarts between the answer and the grant", async () => {
    await using clan = await startClanOn(redis, { coder: coder("goal", 1) });
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

test("a Failure for want of budget is not tried again, although the agent has retries left", async () => {
  const failing: Member = {
    ...wants("GoalDefined", "exclusive"),
    retries: 3,
    tool: () => ({
      structural_type: "Failure",
      artefact_type: "BudgetExceeded",
      artefact_payload: { ...exhausted, scope: "goal" },
      summary: "The budget of the goal is spent.",
    }),
  };
  await using clan = await startClanOn(redis, { coder: failing });
  const goal = await clan.postGoal();
  await reaches(clan, goal, "failed");
  const grant = await grantOf(clan, goal, "coder");
  expect(grant).toMatchObject({ state: "failed", attempt: 1, failure_type: "BudgetExceeded" });
  const events = await waitFor("the log", () => clan.board.readEvents("0", 1_000));
  expect(events.filter(({ type }) => type === "grant_retrying")).toEqual([]);
});
