// Approvals, pauses and other tries, through a real orchestrator, real cubs and a real Redis.
import { afterAll, describe, expect, test } from "bun:test";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { agentName } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Member } from "../../support/world/clan.ts";
import { openMailboxes } from "../../support/world/mailboxes.ts";
import {
  ada,
  decide,
  ending,
  grantOf,
  lead,
  packager,
  planner,
  reaches,
  report,
  startClanOn,
  statusOf,
  terminalOf,
  wants,
} from "../../support/world/people.ts";

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

describe("an approval", () => {
  test("is waited for, and leads on; a rejection leads to the next version", async () => {
    await using clan = await startClanOn(redis, { lead, planner, packager });
    const goal = await clan.postGoal();
    const first = await clan.made(goal, ({ type }) => type === "Plan");
    await waitFor(
      "the approval",
      async () => (await grantOf(clan, first, "lead"))?.state === "waiting",
    );
    expect(await statusOf(clan, goal)).toMatchObject({
      state: "waiting",
      waitingFor: [{ kind: "approval", agent: agentName("lead"), artefact: first.id }],
    });
    expect(await decide(clan, first, "lead", '{"reason":"Not on a Friday."}')).toEqual({
      outcome: "recorded",
    });
    const second = await clan.made(goal, ({ type, version }) => type === "Plan" && version === 2);
    expect(await decide(clan, second, "lead", "{}")).toEqual({ outcome: "recorded" });
    expect((await terminalOf(clan, goal)).source_artefacts).toContain(second.id);
    await reaches(clan, goal, "achieved");
    expect(clan.inputs.get("packager")).toHaveLength(1);
  });
});

describe("a paused instance", () => {
  test("finishes what runs, grants nothing new, and goes on where it stood", async () => {
    let finish = (_: unknown) => {};
    const working = new Promise((resolve) => {
      finish = resolve;
    });
    const reviewer: Member = {
      ...wants("GoalDefined", "review"),
      tool: async () => {
        await working;
        return { structural_type: "Review", payload: {} };
      },
    };
    const coder: Member = { ...wants("GoalDefined", "exclusive"), tool: () => ending("done") };
    await using clan = await startClanOn(redis, { reviewer, coder });
    const goal = await clan.postGoal();
    await waitFor("the reviewer", () => clan.inputs.get("reviewer")?.length === 1);
    // A tool may begin before its start is on record.
    await waitFor(
      "its start",
      async () => (await grantOf(clan, goal, "reviewer"))?.state === "running",
    );
    await clan.board.logEvent({ type: "pause_requested" }, ada);
    await waitFor("the pause", () => clan.board.readPause());
    finish(undefined);
    await waitFor(
      "the review",
      async () => (await grantOf(clan, goal, "reviewer"))?.state === "done",
    );
    const other = await clan.postGoal();
    await waitFor("the bids", async () => {
      const id = (await clan.board.claimsOfArtefact(other.id)).get("standard");
      return id && (await clan.board.readClaim(id))?.claim.bids.length === 2;
    });
    expect(await grantOf(clan, goal, "coder")).toBeUndefined();
    expect(await grantOf(clan, other, "reviewer")).toBeUndefined();
    clan.stopOrchestrator();
    await clan.startOrchestrator();
    await clan.board.logEvent({ type: "resume_requested" }, ada);
    for (const one of [goal, other]) await reaches(clan, one, "achieved");
    const said = (await clan.board.readEvents("0", 1_000)).map(({ type }) => type);
    const paused = said.slice(said.indexOf("instance_paused"), said.indexOf("instance_resumed"));
    expect(paused).not.toContain("grant_queued");
    expect(paused).not.toContain("grant_started");
  });
});

describe("another try of a failure", () => {
  test("runs what failed again from the same inputs, keeps what was done, and goes on through the phases", async () => {
    let isBroken = true;
    const tester: Member = {
      ...wants("GoalDefined", "claim"),
      tool: () => (isBroken ? new Error("flaky") : report("green")),
    };
    const reviewer: Member = {
      ...wants("GoalDefined", "review"),
      tool: () => ({ structural_type: "Review", payload: {} }),
    };
    const coder: Member = { ...wants("GoalDefined", "exclusive"), tool: () => ending("done") };
    await using clan = await startClanOn(redis, { reviewer, tester, coder });
    const goal = await clan.postGoal();
    await reaches(clan, goal, "failed");
    const failure = await clan.made(goal, ({ structural_type }) => structural_type === "Failure");
    const retry = () =>
      clan.board.logEvent({ type: "retry_requested", artefact_id: failure.id }, ada);
    isBroken = false;
    await retry();
    await reaches(clan, goal, "achieved");
    expect(clan.inputs.get("reviewer")).toHaveLength(1);
    const [first, again] = clan.inputs.get("tester") ?? [];
    expect(again).toEqual({ ...first, claim_id: again?.claim_id } as ToolInput);
    const cause = `retry:${failure.id}`;
    expect(await grantOf(clan, goal, "tester", cause)).toMatchObject({ state: "done", attempt: 2 });
    await retry();
    const refusal = await waitFor("the refusal", async () =>
      (await clan.board.readEvents("0", 1_000)).find(({ type }) => type === "request_refused"),
    );
    expect(refusal.data?.reason).toContain("tried again before");
  });

  test("does again all that failed side by side, once, whichever Failure is named", async () => {
    let isBroken = true;
    const { promise: together, resolve: release } = Promise.withResolvers<void>();
    const flaky: Member = {
      ...wants("GoalDefined", "claim"),
      tool: async () => {
        await together;
        return isBroken ? new Error("flaky") : report("green");
      },
    };
    const coder: Member = { ...wants("GoalDefined", "exclusive"), tool: () => ending("done") };
    await using clan = await startClanOn(redis, { tester: flaky, linter: flaky, coder });
    const goal = await clan.postGoal();
    for (const name of ["tester", "linter"])
      await waitFor(
        `the ${name}`,
        async () => (await grantOf(clan, goal, name))?.state === "running",
      );
    clan.stopOrchestrator();
    // What the agents send is written meanwhile, and nothing is decided.
    const mailboxes = await openMailboxes(clan.board);
    release();
    for (const name of ["tester", "linter"])
      await waitFor(
        `the failed ${name}`,
        async () => (await grantOf(clan, goal, name))?.state === "failed",
      );
    await mailboxes[Symbol.asyncDispose]();
    await clan.board.releaseLeaderLease(mailboxes.epoch);
    await clan.startOrchestrator();
    await reaches(clan, goal, "failed");
    const all = await clan.board.readArtefacts(await clan.board.listArtefactsOfGoal(goal.goal_id));
    const failures = all.filter(({ structural_type }) => structural_type === "Failure");
    expect(failures).toHaveLength(2);
    isBroken = false;
    // Both at once: neither request knows of the other.
    for (const { id } of failures)
      await clan.board.logEvent({ type: "retry_requested", artefact_id: id }, ada);
    await reaches(clan, goal, "achieved");
    for (const name of ["tester", "linter"]) expect(clan.inputs.get(name)).toHaveLength(2);
    expect(clan.inputs.get("coder")).toHaveLength(1);
    const refusal = await waitFor("the refusal", async () =>
      (await clan.board.readEvents("0", 1_000)).find(({ type }) => type === "request_refused"),
    );
    expect(refusal.data?.reason).toMatch(
      /^It was tried again before, as claim .+, with all else that failed beside it \(Failure .+\)\.$/,
    );
  });
});
