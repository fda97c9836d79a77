// sett cancel, pause, resume and retry, with the real program, orchestrator, cubs and Redis.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { BidRule } from "../../lib/model/bid.ts";
import type { Grant } from "../../lib/model/claim.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import { waitFor } from "../support/wait-for.ts";
import { Clan, endless, type Member, report } from "./support/clan.ts";
import { Workspace } from "./support/workspace.ts";

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const bids = (...rules: BidRule[]) => ({ bids: rules });
const onGoal = (bid: BidRule["bid"]) => bids({ on: "GoalDefined", bid });
const approval = { structural_type: "Review", payload: {} };

async function eventTypes(clan: Clan, from = "0"): Promise<string[]> {
  return (await clan.board.readEvents(from, 1_000)).map(({ type }) => type);
}

describe("sett cancel", () => {
  test("ends a claim in bidding, and bids that come later are refused", async () => {
    await using clan = await Clan.gather(at, { silent: {}, coder: { ...onGoal("exclusive"), tool: () => report("Code") } });
    const goal = await clan.goal();
    const { claim } = await clan.claimOn(goal);
    const { code, err } = await clan.sett("cancel", goal.id.slice(0, 8));
    expect(code).toBe(0);
    expect(err).toContain(`The goal ${goal.id.slice(0, 8)} is cancelled: 1 claim has ended.`);
    expect((await clan.claimOn(goal)).claim).toMatchObject({ status: "terminated", termination_reason: "Goal ended: cancelled" });
    expect(await clan.board.placeBid({ claim: claim.id, agent: "silent" as never, word: "claim" })).toMatchObject({
      outcome: "refused",
    });
    expect(await clan.state(goal)).toBe("cancelled");
    const log = await clan.need("watch", "--no-follow");
    expect(log).toMatch(/Ada Lovelace +asks to cancel the goal/);
    expect(log).toMatch(/orchestrator +ends the goal: cancelled, as Ada Lovelace asked/);
  }, 60_000);

  test.each(["review", "claim", "exclusive"] as const)(
    "stops the tool that is at work on a bid of `%s`",
    async (bid) => {
      const { tool, begun, stopped } = endless();
      await using clan = await Clan.gather(at, { coder: { ...onGoal(bid), tool }, closer: { ...onGoal("exclusive"), tool } });
      const goal = await clan.goal();
      await begun;
      const told = JSON.parse(await clan.need("cancel", goal.id, "--json"));
      expect(told).toMatchObject({ id: goal.id, state: "cancelled", claims: 1 });
      expect(told.agents).toHaveLength(1);
      await stopped;
      expect((await clan.claimOn(goal)).grants.map(({ state }) => state)).toEqual(["cancelled"]);
      const artefacts = await clan.board.listArtefactsOfGoal(goal.goal_id);
      expect(artefacts).toHaveLength(1);
    },
    60_000,
  );

  test("ends what waits for an answer, and closes the question", async () => {
    const ask = () => ({ structural_type: "Question", payload: "Which colour?" });
    await using clan = await Clan.gather(at, { painter: { ...onGoal("exclusive"), tool: ask } });
    const goal = await clan.goal();
    await clan.grant(goal, "painter", "waiting");
    await waitFor("the question", async () => (await clan.board.listOpenQuestions()).length === 1);
    expect((await clan.sett("cancel", goal.id)).err).toContain("1 claim has ended, and with it the work of painter.");
    expect(await clan.board.listOpenQuestions()).toEqual([]);
    expect(await clan.state(goal)).toBe("cancelled");
  }, 60_000);

  test("works on a paused instance, and leaves other goals alone", async () => {
    const { tool, begun } = endless();
    await using clan = await Clan.gather(at, { coder: { ...onGoal("exclusive"), tool } });
    const other = await clan.goal("The other");
    await begun;
    await clan.need("pause");
    const goal = await clan.goal();
    await waitFor("the bid", async () => (await clan.claimOn(goal)).claim.bids.length === 1);
    expect((await clan.sett("cancel", goal.id)).err).toContain("1 claim has ended.");
    expect(await clan.state(goal)).toBe("cancelled");
    expect(await clan.state(other)).toBe("running");
  }, 60_000);

  test("refuses a goal that is at rest or cancelled already, and what is no goal", async () => {
    const finish = () => report("Code", { structural_type: "Terminal" });
    await using clan = await Clan.gather(at, { coder: { ...onGoal("exclusive"), tool: finish } });
    const goal = await clan.goal();
    await clan.ended(goal, "complete");
    const { code, err } = await clan.sett("cancel", goal.id);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("is achieved: there is nothing to cancel.") });
    expect(await eventTypes(clan)).not.toContain("cancel_requested");
    const held = await clan.goal("Held up");
    await clan.board.registerAgents([], "person:test", { exact: true });
    await clan.board.endGoal({ goal: held.goal_id, ending: "cancelled", epoch: 1 });
    expect((await clan.sett("cancel", held.id)).err).toContain("is cancelled: there is nothing to cancel.");
    expect((await clan.sett("cancel", crypto.randomUUID())).err).toContain("There is no goal");
  }, 60_000);
});

describe("sett pause and sett resume", () => {
  test("while it is paused nothing new starts, who is at work ends it, and everything goes on afterwards", async () => {
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
    await using clan = await Clan.gather(at, members);
    const goal = await clan.goal();
    await clan.grant(goal, "coder", "running");
    // Granted to an agent that has its hands full: it is queued when the pause comes.
    const next = await clan.goal("The next");
    await clan.grant(next, "coder", "queued");
    const { code: exit, err } = await clan.sett("pause", "--as", "Grace Hopper");
    expect(exit).toBe(0);
    expect(err).toContain(`${clan.instance} is paused: who is at work ends it, and nothing new is started.`);

    release.resolve();
    await clan.grant(goal, "coder", "done");
    const status = JSON.parse(await clan.need("status", "--json"));
    expect(status.paused).toMatchObject({ by: "person:Grace Hopper", since: expect.any(String) });
    const why = { reason: "paused", by: "person:Grace Hopper", since: status.paused.since };
    const waiting = (id: string) => status.goals.find((one: { id: string }) => one.id === id).waiting_for;
    expect(waiting(goal.id)).toMatchObject([{ kind: "decision", why }]);
    expect(waiting(next.id)).toMatchObject([{ kind: "start", agent: "coder", why }]);
    const text = await clan.need("status");
    expect(text).toMatch(/^paused for \d+s by Grace Hopper: nothing new is started; to go on: sett resume$/m);
    expect(text).toMatch(/waits for `coder` to start, \d+s: the instance is paused/);
    expect((await clan.claimOn(next)).grants.map(({ state }) => state)).toEqual(["queued"]);

    const again = await clan.sett("pause");
    expect({ code: again.code, err: again.err }).toEqual({
      code: 1,
      err: expect.stringContaining("The instance is paused already, by Grace Hopper since 20"),
    });
    expect((await clan.sett("resume")).code).toBe(0);
    for (const one of [goal, next]) await clan.ended(one, "complete");
    expect(await clan.state(next)).toBe("achieved");
    expect(JSON.parse(await clan.need("status", "--json")).paused).toBeNull();
    const running = await clan.sett("resume");
    expect({ code: running.code, err: running.err }).toEqual({
      code: 1,
      err: expect.stringContaining("The instance is not paused."),
    });
  }, 60_000);

  test("what is asked for while nobody orchestrates is recorded, and acted on in order when somebody does", async () => {
    await using clan = await Clan.gather(at, { coder: { ...onGoal("exclusive"), tool: () => report("Code") } });
    await clan.stopOrchestrating();
    const asked = await clan.sett("pause");
    expect({ code: asked.code, err: asked.err }).toEqual({
      code: 1,
      err: expect.stringContaining("What you asked for is recorded, but nobody has acted on it yet: "),
    });
    expect(asked.err).toContain("as soon as an orchestrator gets to it");
    expect(await clan.board.readPause()).toBeUndefined();
    await clan.orchestrate();
    await waitFor("the pause", () => clan.board.readPause());
    expect(JSON.parse(await clan.need("resume", "--json"))).toEqual({ instance: clan.instance, paused: null });
  }, 60_000);

  test("an orchestrator that comes back within seconds is waited for", async () => {
    await using clan = await Clan.gather(at, {});
    await clan.stopOrchestrating();
    await using pausing = clan.start("pause", "--json");
    await waitFor("the request", async () => (await eventTypes(clan)).includes("pause_requested"));
    await clan.orchestrate();
    expect(await pausing.exited).toBe(0);
    expect(JSON.parse(pausing.out())).toMatchObject({ paused: { by: "person:Ada Lovelace <ada@sett.invalid>" } });
  }, 60_000);
});

describe("sett retry", () => {
  /** Fails so often, then works. */
  const failing = (times: number, type: string) => {
    let left = times;
    return () => {
      left -= 1;
      return left >= 0 ? report("Nope", { structural_type: "Failure" }) : report(type);
    };
  };
  const failureOf = (clan: Clan, goal: Parameters<Clan["made"]>[0]) =>
    clan.made(goal, ({ structural_type }) => structural_type === "Failure", "the Failure");
  const states = (grants: readonly Grant[]) =>
    Object.fromEntries(grants.map(({ agent, state, attempt }) => [agent, [state, attempt]]));

  test("makes a failed exclusive attempt again, once", async () => {
    await using clan = await Clan.gather(at, { coder: { ...onGoal("exclusive"), tool: failing(1, "Code") } });
    const goal = await clan.goal();
    const failure = await failureOf(clan, goal);
    await clan.ended(goal, "terminated");
    expect(await clan.state(goal)).toBe("failed");
    const claim = (await clan.need("retry", failure.id.slice(0, 8))).trim() as ClaimId;
    const retried = await clan.ended(goal, "complete", `retry:${failure.id}`);
    expect(retried.claim.id).toBe(claim);
    expect(states(retried.grants)).toEqual({ coder: ["done", 2] });
    expect(await clan.state(goal)).toBe("settled");
    const again = await clan.sett("retry", failure.id);
    expect({ code: again.code, err: again.err }).toEqual({
      code: 1,
      err: expect.stringContaining(`It was tried again before, as claim ${claim}.`),
    });
  }, 60_000);

  test("of a failed parallel attempt lets the done siblings be, and later phases follow", async () => {
    let linted = 0;
    const lint = () => {
      linted += 1;
      return report("Lint");
    };
    const slow = endless();
    let isFirst = true;
    const members: Record<string, Member> = {
      reviewer: { ...onGoal("review"), tool: () => approval },
      linter: { ...onGoal("claim"), tool: lint },
      // Fails once its siblings are where the test wants them.
      tester: {
        ...onGoal("claim"),
        tool: async () => {
          if (!isFirst) return report("Tests");
          isFirst = false;
          await linterDone.promise;
          return report("Nope", { structural_type: "Failure" });
        },
      },
      builder: {
        ...onGoal("claim"),
        tool: (input, signal) => (isFirst || !hasFailed ? slow.tool(input, signal) : report("Build")),
      },
      packager: {
        ...onGoal("exclusive"),
        tool: (input) => report("Package", { metadata: { given: input.additional_context.length } }),
      },
    };
    const linterDone = Promise.withResolvers<void>();
    let hasFailed = false;
    await using clan = await Clan.gather(at, members);
    const goal = await clan.goal();
    await clan.grant(goal, "linter", "done");
    await slow.begun;
    linterDone.resolve();
    const failure = await failureOf(clan, goal);
    const before = await clan.ended(goal, "terminated");
    expect(states(before.grants)).toEqual({
      reviewer: ["done", 1],
      linter: ["done", 1],
      tester: ["failed", 1],
      builder: ["cancelled", 1],
    });
    hasFailed = true;
    await clan.need("retry", failure.id);
    const after = await clan.ended(goal, "complete", `retry:${failure.id}`);
    expect(states(after.grants)).toEqual({
      reviewer: ["done", 1],
      linter: ["done", 1],
      tester: ["done", 2],
      builder: ["done", 2],
      packager: ["done", 1],
    });
    expect(linted).toBe(1);
    const made = await clan.made(goal, ({ type }) => type === "Package");
    // The review, and the work of the three.
    expect(made.metadata.given).toBe(4);
    expect(await clan.state(goal)).toBe("settled");
  }, 60_000);

  test("may fail again, and its own Failure may be tried again", async () => {
    await using clan = await Clan.gather(at, { coder: { ...onGoal("exclusive"), tool: failing(2, "Code") } });
    const goal = await clan.goal();
    const first = await failureOf(clan, goal);
    await clan.ended(goal, "terminated");
    await clan.need("retry", first.id);
    await clan.ended(goal, "terminated", `retry:${first.id}`);
    const second = await clan.made(goal, ({ id, structural_type }) => structural_type === "Failure" && id !== first.id);
    expect(await clan.state(goal)).toBe("failed");
    await clan.need("retry", second.id);
    expect(states((await clan.ended(goal, "complete", `retry:${second.id}`)).grants)).toEqual({ coder: ["done", 3] });
    expect(await clan.state(goal)).toBe("settled");
  }, 60_000);

  test("is refused for what is no Failure, for an agent that is gone, and for a goal that was cancelled", async () => {
    const members: Record<string, Member> = {
      coder: { ...onGoal("exclusive"), tool: failing(9, "Code") },
      idler: onGoal("ignore"),
    };
    await using clan = await Clan.gather(at, { ...members, idler: { ...onGoal("ignore"), tool: () => approval } });
    const refusal = async (id: string) => {
      const { code, out, err } = await clan.sett("retry", id);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      return err;
    };
    const goal = await clan.goal();
    const failure = await failureOf(clan, goal);
    await clan.ended(goal, "terminated");
    expect(await refusal(goal.id)).toContain(`GoalDefined ${goal.id} is no Failure: there is nothing to try again.`);
    expect(await refusal(crypto.randomUUID())).toContain("There is no artefact");
    const other = await clan.goal("The other");
    const lost = await failureOf(clan, other);
    await clan.ended(other, "terminated");
    await clan.board.endGoal({ goal: other.goal_id, ending: "cancelled", epoch: 1 });
    expect(await refusal(lost.id)).toContain(`Goal ${other.goal_id} was ended.`);
    const [idler] = (await clan.board.listAgents()).filter(({ name }) => name === "idler");
    await clan.board.registerAgents(idler === undefined ? [] : [idler], "person:test", { exact: true });
    expect(await refusal(failure.id)).toContain("Agent coder is not here any more to try again.");
  }, 60_000);
});
