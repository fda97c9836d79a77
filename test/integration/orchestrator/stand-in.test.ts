// Where the agent that made something is gone or cannot answer, another of its role reworks it and
// is asked about it.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { aborted } from "../../../lib/async/sleep.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { nightly } from "../../support/nightly.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Clan, Member } from "../../support/world/clan.ts";
import {
  ada,
  answersIn,
  asking,
  ending,
  grantOf,
  reaches,
  replying,
  startClanOn,
  terminalOf,
  wants,
} from "../../support/world/people.ts";
import type { Tool } from "../../support/world/tool.ts";

setDefaultTimeout(600_000);
const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

const draft = (payload: string) => ({
  artefact_type: "Draft",
  artefact_payload: payload,
  summary: "",
});

/** Two of a role: `writer-two` writes about the goal, `writer-one` has nothing to do of its own. */
const writing: Partial<Member> = { role: "writer", ...wants("GoalDefined", "exclusive") };
const idle: Partial<Member> = { role: "writer", ...wants("Nothing", "exclusive") };
const isRework = ({ additional_context }: ToolInput) =>
  additional_context.some(({ type }) => type === "Review");
const rewrites = (text: string) => (input: ToolInput) =>
  draft(isRework(input) ? text : "A first draft");
const critic = (input: ToolInput) => ({
  structural_type: "Review",
  payload: input.target_artefact.version === 1 ? "Shorter." : {},
});
const editor = { ...wants("Draft", "exclusive"), tool: () => ending("Published") };

async function remove(clan: Clan, name: string): Promise<void> {
  const left = (await clan.board.listAgents()).filter((agent) => agent.name !== name);
  await clan.board.registerAgents(left, ada, { exact: true });
  // Returns what agents say is read beside the log, and may be read before it.
  const isKnown = async () =>
    (await clan.board.readLeader())?.cursor === (await clan.board.endOfEvents());
  await waitFor("the orchestrator to know", isKnown);
}

/** For whom an agent was the stand-in, by the log. */
async function standInsIn(clan: Clan) {
  const events = await clan.board.readEvents("0", 10_000);
  return events.flatMap(({ type, agent, data }) =>
    type === "grant_queued" && data?.instead_of !== undefined
      ? [[agent, data.instead_of, data.because].map(String)]
      : [],
  );
}

/** Two writers, the second's draft, and a critic who does not speak before `go`. */
async function draftUnderReview(settings: Parameters<typeof startClanOn>[2] = {}) {
  const { promise: mayGo, resolve: go } = Promise.withResolvers<void>();
  const members = {
    "writer-one": { ...idle, tool: rewrites("Shorter, by one") },
    "writer-two": { ...writing, tool: rewrites("Shorter, by two") },
    critic: {
      ...wants("Draft", "review"),
      tool: (input: ToolInput) => mayGo.then(() => critic(input)),
    },
    editor,
  };
  const clan = await startClanOn(redis, members, settings);
  const goal = await clan.postGoal();
  const first = await clan.made(goal, ({ type }) => type === "Draft");
  await waitFor("the critic at work", () => clan.inputs.get("critic")?.length === 1);
  return { clan, goal, first, go };
}

describe("a rework", () => {
  test("goes to another agent of the role where its producer was removed before the review", async () => {
    const { clan, goal, first, go } = await draftUnderReview();
    await using _clan = clan;
    await remove(clan, "writer-two");
    go();
    await terminalOf(clan, goal);
    await reaches(clan, goal, "achieved");
    const [, second] = (await clan.artefactsOf(goal)).filter(({ type }) => type === "Draft");
    expect(second).toMatchObject({
      payload: "Shorter, by one",
      version: 2,
      logical_id: first.id,
      produced_by_agent: "writer-one",
    });
    expect(await standInsIn(clan)).toEqual([
      ["writer-one", "writer-two", "It is not registered any more."],
    ]);
  });

  nightly(
    "goes on to another agent of the role where its producer is removed before it begins",
    async () => {
      const { promise: isBusy, resolve: busy } = Promise.withResolvers<void>();
      let begun = 0;
      // The second goal keeps it busy when its rework of the first comes.
      const tool: Tool = (_, signal) => {
        begun += 1;
        return begun === 1 ? draft("A first draft") : aborted(signal).then(() => draft("Too late"));
      };
      const members = {
        "writer-one": { ...idle, tool: rewrites("Shorter, by one") },
        "writer-two": { ...writing, tool },
        critic: {
          ...wants("Draft", "review"),
          tool: (input: ToolInput) => isBusy.then(() => critic(input)),
        },
        editor,
      };
      await using clan = await startClanOn(redis, members);
      const goal = await clan.postGoal();
      const first = await clan.made(goal, ({ type }) => type === "Draft");
      await clan.postGoal("another goal");
      await waitFor("the writer to be busy", () => begun === 2);
      busy();
      await waitFor(
        "its rework",
        async () => (await grantOf(clan, first, "writer-two", "rework:1"))?.state === "queued",
      );
      await remove(clan, "writer-two");
      await reaches(clan, goal, "achieved");
      const made = await clan.artefactsOf(goal);
      expect(made.find(({ version }) => version === 2)).toMatchObject({
        payload: "Shorter, by one",
      });
      // What had failed is on record, and the goal is reached all the same.
      const [failure] = made.filter(({ structural_type }) => structural_type === "Failure");
      expect(failure).toMatchObject({ type: "AgentRemoved" });
      const because = "Agent writer-two was removed before it could do its work.";
      expect(await standInsIn(clan)).toEqual([["writer-one", "writer-two", because]]);
      expect([...(await clan.board.claimsOfArtefact(first.id)).keys()].toSorted()).toEqual(
        ["rework:1", "standard", `stand-in:${failure?.id}`].toSorted(),
      );
      await clan.board.logEvent({ type: "retry_requested", artefact_id: failure?.id }, ada);
      const refusal = await waitFor("the refusal", async () =>
        (await clan.board.readEvents("0", 10_000)).find(({ type }) => type === "request_refused"),
      );
      expect(String(refusal.data?.reason)).toStartWith("It was tried again before, as claim ");
    },
  );

  nightly("goes on to another agent of the role where its producer is silent", async () => {
    const { clan, goal, go } = await draftUnderReview({ bid_deadline_ms: 1_000 });
    await using _clan = clan;
    clan.stopCub("writer-two");
    go();
    await waitFor("the second draft", async () =>
      (await clan.artefactsOf(goal)).find(({ version }) => version === 2),
    );
    await reaches(clan, goal, "achieved");
    const [[agent, instead, because = ""] = []] = await standInsIn(clan);
    expect([agent, instead]).toEqual(["writer-one", "writer-two"]);
    expect(because).toMatch(/^Agent writer-two has given no sign of life for \d+ s\.$/);
  });
});

describe("a question", () => {
  const isQuestion = (input: ToolInput) => input.target_artefact.structural_type === "Question";
  const knowing = (text: string) => (input: ToolInput) =>
    isQuestion(input) ? replying(text) : draft("A draft");
  const curious = {
    ...wants("Draft", "exclusive"),
    tool: (input: ToolInput) => {
      const [known] = answersIn(input);
      return known === undefined ? asking("How long?") : ending(known.payload);
    },
  };

  test("goes to another agent of the role first where its producer fails to answer", async () => {
    const members = {
      "writer-one": { ...idle, tool: knowing("A page, says one") },
      "writer-two": {
        ...writing,
        tool: (input: ToolInput) => (isQuestion(input) ? new Error("no idea") : draft("A draft")),
      },
      curious,
    };
    await using clan = await startClanOn(redis, members, { clarification: "tiered" });
    const goal = await clan.postGoal();
    expect((await terminalOf(clan, goal)).payload).toBe("A page, says one");
    await reaches(clan, goal, "achieved");
    const [[agent, instead, because = ""] = []] = await standInsIn(clan);
    expect([agent, instead]).toEqual(["writer-one", "writer-two"]);
    expect(because).toStartWith("Agent writer-two failed: ");
  });

  nightly(
    "goes to another agent of the role where its producer is removed, or is silent",
    async () => {
      const members = {
        "writer-one": { ...idle, tool: knowing("A page, says one") },
        "writer-two": { ...writing, tool: knowing("A page, says two") },
        "writer-zero": { ...idle, tool: knowing("A page, says zero") },
        curious: { ...curious, tool: (input: ToolInput) => isGone.then(() => curious.tool(input)) },
      };
      const { promise: isGone, resolve: go } = Promise.withResolvers<void>();
      await using clan = await startClanOn(redis, members, {
        clarification: "tiered",
        bid_deadline_ms: 1_000,
      });
      const goal = await clan.postGoal();
      await clan.made(goal, ({ type }) => type === "Draft");
      await waitFor("the curious at work", () => clan.inputs.get("curious")?.length === 1);
      await remove(clan, "writer-two");
      clan.stopCub("writer-one");
      go();
      const made = await waitFor("the end", async () =>
        (await clan.artefactsOf(goal)).find(
          ({ structural_type }) => structural_type === "Terminal",
        ),
      );
      expect(made.payload).toBe("A page, says zero");
      const [first, second] = await standInsIn(clan);
      const gone = "It is not registered any more.";
      expect([first, second]).toEqual([
        ["writer-one", "writer-two", gone],
        ["writer-zero", "writer-two", gone],
      ]);
    },
  );
});
