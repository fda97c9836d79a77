// Tiered clarification, through a real orchestrator, real cubs and a real Redis.
import { afterAll, describe, expect, test } from "bun:test";
import { aborted } from "../../../lib/async/sleep.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { nightly } from "../../support/nightly.ts";
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
  reaches,
  replying,
  report,
  startClanOn,
  terminalOf,
  wants,
} from "../../support/world/people.ts";
import type { Tool } from "../../support/world/tool.ts";

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

describe("tiered clarification", () => {
  /** planner makes a Plan of the goal, coder Code of the Plan; tester asks about the Code. */
  const planner = (tool: Tool): Member => ({ ...wants("GoalDefined", "exclusive"), tool });
  const isQuestion = (input: ToolInput) => input.target_artefact.structural_type === "Question";
  const escalating =
    (make: object, question: string): Tool =>
    (input) => {
      if (!isQuestion(input)) return make;
      const [known] = answersIn(input);
      return known === undefined
        ? asking(question)
        : { structural_type: "Answer", payload: `passed on: ${known.payload}` };
    };
  const plan = { artefact_type: "Plan", artefact_payload: "the plan", summary: "" };
  const code = { artefact_type: "Code", artefact_payload: "the code", summary: "" };
  const tester: Member = {
    ...wants("Code", "exclusive"),
    tool: (input) => {
      const [known] = answersIn(input);
      return known === undefined ? asking("Which version?") : ending(known.payload);
    },
  };

  test("goes up the chain of producers to a person, and the answers come down again", async () => {
    const coder: Member = { ...wants("Plan", "exclusive"), tool: escalating(code, "Which plan?") };
    const members = { planner: planner(escalating(plan, "Which goal?")), coder, tester };
    await using clan = await startClanOn(redis, members, { clarification: "tiered" });
    const goal = await clan.postGoal();
    const atTheTop = await askedOfPeople(clan, "Which goal?");
    expect(await clan.board.listOpenQuestions()).toEqual([atTheTop.id]);
    const artefacts = await clan.artefactsOf(goal);
    const questions = artefacts.filter((one) => one.structural_type === "Question");
    expect(questions.map((one) => [one.produced_by_agent, one.payload])).toEqual([
      ["tester", "Which version?"],
      ["coder", "Which plan?"],
      ["planner", "Which goal?"],
    ]);
    // Each hop is about the one before.
    expect(
      questions.map(
        ({ source_artefacts: [about] }) => artefacts.find(({ id }) => id === about)?.payload,
      ),
    ).toEqual(["the code", "Which version?", "Which plan?"]);
    await answer(clan, atTheTop, "1.2.0");
    expect((await terminalOf(clan, goal)).payload).toBe("passed on: passed on: 1.2.0");
    await reaches(clan, goal, "achieved");
    const answers = (await clan.artefactsOf(goal)).filter(
      (one) => one.structural_type === "Answer",
    );
    expect(answers.map((one) => one.produced_by_agent || one.produced_by_role)).toEqual([
      "user",
      "planner",
      "coder",
    ]);
  });

  test("ends with the first producer that can answer", async () => {
    const coder: Member = {
      ...wants("Plan", "exclusive"),
      tool: (input) => (isQuestion(input) ? replying("1.0.0, says the coder") : code),
    };
    await using clan = await startClanOn(
      redis,
      { planner: planner(() => plan), coder, tester },
      { clarification: "tiered" },
    );
    const goal = await clan.postGoal();
    expect((await terminalOf(clan, goal)).payload).toBe("1.0.0, says the coder");
    expect(clan.inputs.get("planner")).toHaveLength(1);
    const [, clarifying] = clan.inputs.get("coder") ?? [];
    expect(clarifying?.target_artefact).toMatchObject({
      structural_type: "Question",
      payload: "Which version?",
    });
    expect(clarifying?.additional_context.map(({ payload }) => payload)).toEqual(["the code"]);
  });

  nightly("passes over a producer whose tool fails, and the goal is still achieved", async () => {
    const coder: Member = {
      ...wants("Plan", "exclusive"),
      tool: (input) => (isQuestion(input) ? new Error("no idea") : code),
    };
    const answering: Tool = (input) =>
      isQuestion(input) ? replying("1.1.0, says the planner") : plan;
    await using clan = await startClanOn(
      redis,
      { planner: planner(answering), coder, tester },
      { clarification: "tiered" },
    );
    const goal = await clan.postGoal();
    expect((await terminalOf(clan, goal)).payload).toBe("1.1.0, says the planner");
    await reaches(clan, goal, "achieved");
  });

  nightly(
    "does not take for an answer what an agent prints that does not know questions; a person is asked, and it is not tried again",
    async () => {
      const coder: Member = { ...wants("Plan", "exclusive"), tool: () => code };
      await using clan = await startClanOn(
        redis,
        { planner: planner(() => plan), coder, tester },
        { clarification: "tiered" },
      );
      const goal = await clan.postGoal();
      const question = await askedOfPeople(clan, "Which version?");
      const artefacts = await clan.artefactsOf(goal);
      const failures = artefacts.filter(({ structural_type }) => structural_type === "Failure");
      expect(failures.map(({ produced_by_agent }) => produced_by_agent)).toEqual([
        "coder",
        "planner",
      ]);
      expect(failures[0]?.metadata.summary).toContain("printed a Standard");
      await answer(clan, question, "1.2.0");
      expect((await terminalOf(clan, goal)).payload).toBe("1.2.0");
      await reaches(clan, goal, "achieved");
      for (const { id } of failures)
        await clan.board.logEvent({ type: "retry_requested", artefact_id: id }, ada);
      const refusals = await waitFor("the refusals", async () => {
        const all = (await clan.board.readEvents("0", 1_000)).filter(
          ({ type }) => type === "request_refused",
        );
        return all.length === 2 && all;
      });
      expect(refusals.map(({ data }) => data?.reason)).toEqual(
        Array(2).fill("It was to answer a question that has its answer, or needs none any more."),
      );
    },
  );

  test("is about what the asker names, if it was given that", async () => {
    const namer: Member = {
      ...wants("Code", "exclusive"),
      tool: (input) => {
        const [known] = answersIn(input);
        const about = input.context_chain.find(({ type }) => type === "Plan")?.id;
        return known === undefined ? asking("Why this plan?", about) : ending(known.payload);
      },
    };
    const answering: Tool = (input) => (isQuestion(input) ? replying("because") : plan);
    const coder: Member = { ...wants("Plan", "exclusive"), tool: () => code };
    await using clan = await startClanOn(
      redis,
      { planner: planner(answering), coder, namer },
      { clarification: "tiered" },
    );
    const goal = await clan.postGoal();
    expect((await terminalOf(clan, goal)).payload).toBe("because");
    expect(clan.inputs.get("coder")).toHaveLength(1);
  });

  test("is over when a person answers before the agent does, whose work on it is stopped", async () => {
    let stopped = false;
    const coder: Member = {
      ...wants("Plan", "exclusive"),
      tool: (input, signal) => {
        if (!isQuestion(input)) return code;
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            resolve(report("too late"));
          });
        });
      },
    };
    await using clan = await startClanOn(
      redis,
      { planner: planner(() => plan), coder, tester },
      { clarification: "tiered" },
    );
    const goal = await clan.postGoal();
    await waitFor("the question at the coder", () => clan.inputs.get("coder")?.length === 2);
    const question = await clan.made(goal, (one) => one.structural_type === "Question");
    expect((await answer(clan, question, "2.0.0")).outcome).toEqual({ outcome: "answered" });
    expect((await terminalOf(clan, goal)).payload).toBe("2.0.0");
    await reaches(clan, goal, "achieved");
    await waitFor("the end of the coder's tool", () => stopped);
  });

  nightly(
    "is over, too, when the asker's claim ends just before the question is put to an agent",
    async () => {
      const { promise: isBeingPut, resolve: put } = Promise.withResolvers<void>();
      const { promise: isHeardOf, resolve: hear } = Promise.withResolvers<void>();
      // The claim ends between the look at who is waiting and the claim that asks.
      const late = (board: Blackboard): Blackboard => ({
        ...board,
        async openClaim(order) {
          if (order.open.claim.kind === "clarification") {
            put();
            await isHeardOf;
          }
          return board.openClaim(order);
        },
        async *followEvents(...range) {
          for await (const batch of board.followEvents(...range)) {
            yield batch;
            if (batch.some(({ type }) => type === "question_closed")) hear();
          }
        },
      });
      const never: Tool = (_, signal) => aborted(signal).then(() => report("too late"));
      const coder: Member = {
        ...wants("Plan", "exclusive"),
        tool: (input, signal) => (isQuestion(input) ? never(input, signal) : code),
      };
      const asker: Member = { ...wants("Code", "claim"), tool: () => asking("Which version?") };
      const failing: Member = {
        ...wants("Code", "claim"),
        tool: () => isBeingPut.then(() => new Error("no")),
      };
      const members = { planner: planner(() => plan), coder, asker, failing };
      await using clan = await startClanOn(redis, members, { clarification: "tiered" }, late);
      const goal = await clan.postGoal();
      const question = await clan.made(goal, (one) => one.structural_type === "Question");
      await waitFor("the end of the coder's claim", async () => {
        const [clarification] = await clan.board.readClaims([
          ...(await clan.board.claimsOfArtefact(question.id)).values(),
        ]);
        return (
          clarification?.claim.kind === "clarification" &&
          clarification.claim.status === "terminated"
        );
      });
      await reaches(clan, goal, "failed");
    },
  );
});
