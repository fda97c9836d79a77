// Questions to people, through a real orchestrator, real cubs and a real Redis.
import { afterAll, describe, expect, test } from "bun:test";
import { agentName } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Member } from "../../support/world/clan.ts";
import {
  ada,
  answer,
  answersIn,
  askedOfPeople,
  asking,
  ending,
  grantOf,
  reaches,
  startClanOn,
  statusOf,
  terminalOf,
  wants,
} from "../../support/world/people.ts";

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

describe("a question to people", () => {
  const coder: Member = {
    ...wants("GoalDefined", "exclusive"),
    tool: (input) => {
      const answers = answersIn(input).map(({ payload }) => payload);
      return answers.length < 2
        ? asking(`Question ${answers.length + 1}?`)
        : ending(answers.join(" and "));
    },
  };

  test("suspends its grant; the asker goes on with question and answer, as often as it asks", async () => {
    await using clan = await startClanOn(redis, { coder });
    const goal = await clan.postGoal();
    const first = await askedOfPeople(clan, "Question 1?");
    expect(first).toMatchObject({
      source_artefacts: [goal.id],
      produced_by_agent: "coder",
      goal_id: goal.goal_id,
    });
    expect((await statusOf(clan, goal)).state).toBe("waiting");
    expect(await grantOf(clan, goal, "coder")).toMatchObject({ state: "waiting", attempt: 1 });
    const { artefact, outcome } = await answer(clan, first, "MIT");
    expect(outcome).toEqual({ outcome: "answered" });
    const second = await askedOfPeople(clan, "Question 2?");
    const { artefact: more } = await answer(clan, second, "2026");
    const result = await terminalOf(clan, goal);
    expect(result.payload).toBe("MIT and 2026");
    expect(result.source_artefacts).toEqual([goal.id, artefact.id, more.id]);
    await reaches(clan, goal, "achieved");
    const dialogue = [first.id, artefact.id, second.id, more.id];
    const grant = await grantOf(clan, goal, "coder");
    expect(grant).toMatchObject({ state: "done", attempt: 3, dialogue });
    expect(grant).not.toHaveProperty("retries");
    expect(
      clan.inputs
        .get("coder")
        ?.at(-1)
        ?.additional_context.map(({ id }) => id),
    ).toEqual(dialogue);
  });

  test("waits through restarts of the orchestrator and the cub, before and after its answer", async () => {
    await using clan = await startClanOn(redis, { coder });
    const goal = await clan.postGoal();
    const first = await askedOfPeople(clan, "Question 1?");
    clan.stopOrchestrator();
    clan.stopCub("coder");
    expect((await answer(clan, first, "MIT")).outcome).toEqual({ outcome: "answered" });
    await clan.startOrchestrator();
    await clan.startCub("coder", coder.tool ?? (() => ""));
    await answer(clan, await askedOfPeople(clan, "Question 2?"), "2026");
    expect((await terminalOf(clan, goal)).payload).toBe("MIT and 2026");
  });

  test("is closed by the end of its claim, and its answer is refused then", async () => {
    await using clan = await startClanOn(redis, { coder });
    const goal = await clan.postGoal();
    const question = await askedOfPeople(clan, "Question 1?");
    await clan.board.logEvent({ type: "cancel_requested", goal_id: goal.goal_id }, ada);
    await reaches(clan, goal, "cancelled");
    expect((await answer(clan, question, "MIT")).outcome).toMatchObject({ outcome: "refused" });
    await waitFor(
      "the end of the claim",
      async () => (await grantOf(clan, goal, "coder"))?.state === "cancelled",
    );
  });

  test("of an agent that was removed is closed, and its grant fails", async () => {
    await using clan = await startClanOn(redis, { coder, other: {} });
    const goal = await clan.postGoal();
    await waitFor("the claim", async () => (await clan.board.listOpenClaims())[0]);
    const [open] = await clan.board.listOpenClaims();
    if (open !== undefined)
      await clan.board.placeBid({ claim: open, agent: agentName("other"), word: "ignore" });
    const question = await askedOfPeople(clan, "Question 1?");
    const agents = (await clan.board.listAgents()).filter(({ name }) => name !== "coder");
    await clan.board.registerAgents(agents, ada, { exact: true });
    await reaches(clan, goal, "failed");
    expect(await clan.board.listOpenQuestions()).toEqual([]);
    expect((await answer(clan, question, "MIT")).outcome).toMatchObject({
      reason: expect.stringContaining("does not wait"),
    });
  });
});

describe("feedback on a goal", () => {
  test("is a question to its author, whose answer is version 2 of the goal and runs on", async () => {
    const reviewer: Member = {
      ...wants("GoalDefined", "review"),
      tool: ({ target_artefact }) => ({
        structural_type: "Review",
        payload: target_artefact.version === 1 ? "Too vague." : {},
      }),
    };
    const coder: Member = {
      ...wants("GoalDefined", "exclusive"),
      tool: ({ target_artefact }) => ending(target_artefact.payload),
    };
    await using clan = await startClanOn(redis, { reviewer, coder });
    const goal = await clan.postGoal("Do it.");
    const question = await askedOfPeople(clan, "Too vague.");
    expect((await statusOf(clan, goal)).state).toBe("waiting");
    const { artefact } = await answer(clan, question, "Release 1.2.0.");
    expect((await terminalOf(clan, goal)).payload).toBe("Release 1.2.0.");
    await reaches(clan, goal, "achieved");
    const versions = await clan.board.readArtefacts(await clan.board.readThread(goal.logical_id));
    expect(versions).toMatchObject([
      { version: 1, payload: "Do it." },
      {
        version: 2,
        payload: "Release 1.2.0.",
        source_artefacts: [goal.id, artefact.id],
        produced_by_role: "user",
      },
    ]);
  });
});
