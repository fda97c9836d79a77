// How a person stops new work, and lets it go on.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { onGoal, report, Sett } from "../../support/cli/sett.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Member } from "../../support/world/clan.ts";

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

describe("sett pause and sett resume", () => {
  test("while it is paused nothing new starts, what has begun goes on to its end, and everything goes on afterwards", async () => {
    const release = Promise.withResolvers<void>();
    const code = async () => {
      await release.promise;
      return report("Code");
    };
    const test = () => report("Tested", { structural_type: "Terminal" });
    const members: Record<string, Member> = {
      coder: { ...onGoal("claim"), tool: code },
      tester: { ...onGoal("exclusive"), tool: test },
    };
    await using clan = await Sett.start(at, members);
    const goal = await clan.goal();
    await clan.grant(goal, "coder", "running");
    // Granted to an agent that has its hands full: it is queued when the pause comes.
    const next = await clan.goal("The next");
    await clan.grant(next, "coder", "queued");
    const { code: exit, err } = await clan.sett("pause", "--as", "Grace Hopper");
    expect(exit).toBe(0);
    expect(err).toContain(
      `${clan.instance} is paused: running work goes on to its end, and no new work starts.`,
    );

    release.resolve();
    await clan.grant(goal, "coder", "done");
    const status = JSON.parse(await clan.need("status", "--json"));
    expect(status.paused).toMatchObject({ by: "person:Grace Hopper", since: expect.any(String) });
    const why = { reason: "paused", by: "person:Grace Hopper", since: status.paused.since };
    const waiting = (id: string) =>
      status.goals.find((one: { id: string }) => one.id === id).waiting_for;
    expect(waiting(goal.id)).toMatchObject([{ kind: "decision", why }]);
    expect(waiting(next.id)).toMatchObject([{ kind: "start", agent: "coder", why }]);
    const text = await clan.need("status");
    expect(text).toMatch(
      /^paused for \w+ by Grace Hopper: no new work starts; to resume: sett resume --name t-\w+$/m,
    );
    expect(text).toMatch(/waits for `coder` to start, \w+: the instance is paused/);
    expect((await clan.claimOn(next)).grants.map(({ state }) => state)).toEqual(["queued"]);

    const again = await clan.sett("pause");
    expect({ code: again.code, err: again.err }).toEqual({
      code: 1,
      err: expect.stringContaining("The instance is paused already, by Grace Hopper since 20"),
    });
    expect((await clan.sett("resume")).code).toBe(0);
    for (const one of [goal, next]) await clan.ended(one, "complete");
    expect(await clan.stateOf(next)).toBe("achieved");
    expect(JSON.parse(await clan.need("status", "--json")).paused).toBeNull();
    const running = await clan.sett("resume");
    expect({ code: running.code, err: running.err }).toEqual({
      code: 1,
      err: expect.stringContaining("The instance is not paused."),
    });
  }, 120_000);

  test("a paused goal waits while others go before it, and both commands say so", async () => {
    const release = Promise.withResolvers<void>();
    const code = async () => {
      await release.promise;
      return report("Code");
    };
    await using clan = await Sett.start(at, { coder: { ...onGoal("exclusive"), tool: code } });
    const first = await clan.goal();
    await clan.grant(first, "coder", "running");
    const waiting = await clan.goal("The paused one");
    await clan.grant(waiting, "coder", "queued");
    const other = await clan.goal("The other");
    const short = waiting.id.slice(0, 8);
    const { err } = await clan.sett("pause", short, "--as", "Grace Hopper");
    expect(err).toContain(`Goal ${short} is paused: running work goes on to its end`);
    expect((await clan.sett("pause", waiting.id)).err).toContain(
      "The goal is paused already, by Grace Hopper since 20",
    );
    release.resolve();
    for (const one of [first, other]) await clan.ended(one, "complete");
    const status = JSON.parse(await clan.need("status", "--json"));
    const goal = status.goals.find((one: { id: string }) => one.id === waiting.id);
    expect(goal.paused).toMatchObject({ by: "person:Grace Hopper" });
    expect(goal.waiting_for).toMatchObject([
      { kind: "start", why: { reason: "goal_paused", ...goal.paused } },
    ]);
    const text = await clan.need("status");
    expect(text).toMatch(/waits for `coder` to start, \w+: the goal is paused/);
    expect(text).toMatch(
      new RegExp(`paused for \\w+ by Grace Hopper: sett resume ${short} --name t-`),
    );
    expect((await clan.claimOn(waiting)).grants.map(({ state }) => state)).toEqual(["queued"]);

    expect((await clan.sett("resume", short)).err).toContain(`Goal ${short} is resumed.`);
    await clan.ended(waiting, "complete");
    expect((await clan.sett("resume", short)).err).toContain("The goal is not paused.");
    expect((await clan.sett("pause", short)).err).toContain("there is no work to pause");
  }, 120_000);

  nightly(
    "requests made while no orchestrator runs are recorded, and handled in order when one does",
    async () => {
      await using clan = await Sett.start(at, {
        coder: { ...onGoal("exclusive"), tool: () => report("Code") },
      });
      await clan.untilUnled();
      const result = await clan.sett("pause");
      expect({ code: result.code, err: result.err }).toEqual({
        code: 1,
        err: expect.stringContaining(
          "Your request is recorded, but the orchestrator has not acted on it yet: ",
        ),
      });
      expect(result.err).toContain("The orchestrator will act on it");
      expect(await clan.board.readPause()).toBeUndefined();
      const requests = async () => JSON.parse(await clan.need("status", "--json")).requests;
      expect(await requests()).toMatchObject([
        { type: "pause_requested", by: expect.stringContaining("Ada Lovelace") },
      ]);
      expect(await clan.need("status")).toMatch(
        /^Ada Lovelace asked to pause the instance (?:just now|\w+ ago): an orchestrator has not acted on it yet$/m,
      );
      await clan.untilLed();
      await waitFor("the pause", () => clan.board.readPause());
      expect(await requests()).toEqual([]);
      expect(JSON.parse(await clan.need("resume", "--json"))).toEqual({
        instance: clan.instance,
        paused: null,
      });
    },
    120_000,
  );

  test("an orchestrator that comes back within seconds is waited for", async () => {
    await using clan = await Sett.start(at, {});
    await clan.untilUnled();
    await using pausing = clan.start("pause", "--json");
    await waitFor("the request", async () => (await clan.eventTypes()).includes("pause_requested"));
    await clan.untilLed();
    expect(await pausing.exited).toBe(0);
    expect(JSON.parse(pausing.out())).toMatchObject({
      paused: { by: "person:Ada Lovelace <ada@sett.invalid>" },
    });
  }, 120_000);
});
