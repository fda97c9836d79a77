// How a person ends a goal early.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endless, onGoal, report, Sett } from "../../support/cli/sett.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

describe("sett cancel", () => {
  test("ends a claim in bidding, and bids that come later are refused", async () => {
    await using clan = await Sett.start(at, {
      silent: { bids_by_command: true },
      coder: { ...onGoal("exclusive"), tool: () => report("Code") },
    });
    const goal = await clan.goal();
    const { claim } = await clan.claimOn(goal);
    const { code, err } = await clan.sett("cancel", goal.id.slice(0, 8));
    expect(code).toBe(0);
    expect(err).toContain(`Goal ${goal.id.slice(0, 8)} was cancelled: 1 claim has ended.`);
    expect((await clan.claimOn(goal)).claim).toMatchObject({
      status: "terminated",
      termination_reason: "The goal was cancelled.",
    });
    expect(
      await clan.board.placeBid({ claim: claim.id, agent: "silent" as never, word: "claim" }),
    ).toMatchObject({
      outcome: "refused",
    });
    expect(await clan.stateOf(goal)).toBe("cancelled");
    const log = await clan.need("watch", "--no-follow");
    expect(log).toMatch(/Ada Lovelace +asks to cancel the goal/);
    expect(log).toMatch(/orchestrator +ends the goal: cancelled, as Ada Lovelace asked/);
  }, 120_000);

  nightly(
    "names a claim that a person has broken by hand, for it cannot end before it is repaired",
    async () => {
      await using clan = await Sett.start(at, { silent: { bids_by_command: true } });
      const goal = await clan.goal();
      const { claim } = await clan.claimOn(goal);
      await at.redis.cli(
        "HSET",
        `sett:${clan.instance}:claim:${claim.id}`,
        "electorate",
        "garbage",
      );
      const { code, err } = await clan.sett("cancel", goal.id);
      expect(code).toBe(0);
      expect(err).toContain(`Goal ${goal.id.slice(0, 8)} was cancelled.`);
      expect(err.replace(/\s+/g, " ")).toContain(
        `Claim ${claim.id.slice(0, 8)} cannot be read, and ends when a person has repaired it`,
      );
    },
    120_000,
  );

  test.each(isNight ? (["review", "claim", "exclusive"] as const) : (["claim"] as const))(
    "stops the tool that is at work on a bid of `%s`",
    async (bid) => {
      const { tool, begun, stopped } = endless();
      await using clan = await Sett.start(at, {
        coder: { ...onGoal(bid), tool },
        closer: { ...onGoal("exclusive"), tool },
      });
      const goal = await clan.goal();
      await begun;
      const result = JSON.parse(await clan.need("cancel", goal.id, "--json"));
      expect(result).toMatchObject({ id: goal.id, state: "cancelled", claims: 1 });
      expect(result.agents).toHaveLength(1);
      await stopped;
      expect((await clan.claimOn(goal)).grants.map(({ state }) => state)).toEqual(["cancelled"]);
      const artefacts = await clan.board.listArtefactsOfGoal(goal.goal_id);
      expect(artefacts).toHaveLength(1);
    },
    120_000,
  );

  test("ends what waits for an answer, and closes the question", async () => {
    const ask = () => ({ structural_type: "Question", payload: "Which colour?" });
    await using clan = await Sett.start(at, { painter: { ...onGoal("exclusive"), tool: ask } });
    const goal = await clan.goal();
    await clan.grant(goal, "painter", "waiting");
    await waitFor("the question", async () => (await clan.board.listOpenQuestions()).length === 1);
    expect((await clan.sett("cancel", goal.id)).err).toContain(
      "1 claim has ended, and with it the work of painter.",
    );
    expect(await clan.board.listOpenQuestions()).toEqual([]);
    expect(await clan.stateOf(goal)).toBe("cancelled");
  }, 120_000);

  nightly(
    "works on a paused instance, and leaves other goals alone",
    async () => {
      const { tool, begun } = endless();
      await using clan = await Sett.start(at, { coder: { ...onGoal("exclusive"), tool } });
      const other = await clan.goal("The other");
      await begun;
      await clan.need("pause");
      const goal = await clan.goal();
      await waitFor("the bid", async () => (await clan.claimOn(goal)).claim.bids.length === 1);
      expect((await clan.sett("cancel", goal.id)).err).toContain("1 claim has ended.");
      expect(await clan.stateOf(goal)).toBe("cancelled");
      expect(await clan.stateOf(other)).toBe("running");
    },
    120_000,
  );

  test("refuses a goal that has ended already, and an id that is no goal's", async () => {
    const finish = () => report("Code", { structural_type: "Terminal" });
    await using clan = await Sett.start(at, { coder: { ...onGoal("exclusive"), tool: finish } });
    const goal = await clan.goal();
    await clan.ended(goal, "complete");
    const { code, err } = await clan.sett("cancel", goal.id);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("is achieved: there is no work to cancel."),
    });
    expect(await clan.eventTypes()).not.toContain("cancel_requested");
    const paused = await clan.goal("Held up");
    await clan.board.registerAgents([], "person:test", { exact: true });
    await clan.board.logEvent({ type: "cancel_requested", goal_id: paused.goal_id }, "person:test");
    await waitFor(
      "the goal's end",
      async () => (await clan.board.readGoal(paused.goal_id)).ended === "cancelled",
    );
    expect((await clan.sett("cancel", paused.id)).err).toContain(
      "is cancelled: there is no work to cancel.",
    );
    expect((await clan.sett("cancel", crypto.randomUUID())).err).toContain("There is no goal");
  }, 120_000);
});
