// sett retry, with the real program, orchestrator, cubs and Redis.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Grant } from "../../../lib/model/claim.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { endless, onGoal, report, Sett } from "../../support/cli/sett.ts";
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

const approval = { structural_type: "Review", payload: {} };

/** Fails so often, then works. */
const failing = (times: number, type: string) => {
  let left = times;
  return () => {
    left -= 1;
    return left >= 0 ? report("Nope", { structural_type: "Failure" }) : report(type);
  };
};
const failureOf = (clan: Sett, goal: Parameters<Sett["made"]>[0]) =>
  clan.made(goal, ({ structural_type }) => structural_type === "Failure", "the Failure");
const states = (grants: readonly Grant[]) =>
  Object.fromEntries(grants.map(({ agent, state, attempt }) => [agent, [state, attempt]]));

test("a retry makes a failed exclusive attempt again, once", async () => {
  await using clan = await Sett.start(at, {
    coder: { ...onGoal("exclusive"), tool: failing(1, "Code") },
  });
  const goal = await clan.goal();
  const failure = await failureOf(clan, goal);
  await clan.ended(goal, "terminated");
  expect(await clan.stateOf(goal)).toBe("failed");
  const { code, out, err } = await clan.sett("retry", failure.id.slice(0, 8));
  expect(code).toBe(0);
  const claim = out.trim() as ClaimId;
  expect(err).toContain(
    `Nope ${failure.id.slice(0, 8)} is retried as claim ${claim.slice(0, 8)}, from the exclusive phase on, by coder.\n`,
  );
  expect(err).toContain(
    `Follow the goal: sett watch --goal ${goal.id.slice(0, 8)} --name ${clan.instance}`,
  );
  const retried = await clan.ended(goal, "complete", `retry:${failure.id}`);
  expect(retried.claim.id).toBe(claim);
  expect(states(retried.grants)).toEqual({ coder: ["done", 2] });
  expect(await clan.stateOf(goal)).toBe("settled");
  const again = await clan.sett("retry", failure.id);
  expect({ code: again.code, err: again.err }).toEqual({
    code: 1,
    err: expect.stringContaining(`It was tried again before, as claim ${claim}.`),
  });
}, 120_000);

test("`--watch` follows the goal to its end, with the exit code of how it ended", async () => {
  await using clan = await Sett.start(at, {
    coder: { ...onGoal("exclusive"), tool: failing(2, "Code") },
  });
  const goal = await clan.goal();
  const first = await failureOf(clan, goal);
  await clan.ended(goal, "terminated");
  const again = await clan.sett("retry", first.id, "--watch");
  expect({ code: again.code, err: again.err }).toEqual({
    code: 3,
    err: expect.stringContaining(`Goal ${goal.id.slice(0, 8)} failed.`),
  });
  const [second] = (await clan.artefactsOf(goal)).filter(
    ({ structural_type, id }) => structural_type === "Failure" && id !== first.id,
  );
  // The goal's id names its one Failure that counts, which is the second.
  expect(second).toBeDefined();
  const last = await clan.sett("retry", goal.id.slice(0, 8), "--watch");
  expect({ code: last.code, err: last.err }).toEqual({
    code: 0,
    err: expect.stringContaining(`Goal ${goal.id.slice(0, 8)} is settled.`),
  });
  const none = await clan.sett("retry", goal.id);
  expect({ code: none.code, err: none.err }).toEqual({
    code: 2,
    err: expect.stringContaining(
      `Goal ${goal.id.slice(0, 8)} has no Failure that can be retried: it is settled.`,
    ),
  });
}, 120_000);

nightly(
  "a retry of a failed parallel attempt leaves the done siblings alone, and later phases follow",
  async () => {
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
        tool: (input, signal) =>
          isFirst || !hasFailed ? slow.tool(input, signal) : report("Build"),
      },
      packager: {
        ...onGoal("exclusive"),
        tool: (input) =>
          report("Package", { metadata: { given: input.additional_context.length } }),
      },
    };
    const linterDone = Promise.withResolvers<void>();
    let hasFailed = false;
    await using clan = await Sett.start(at, members);
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
    const { out, err } = await clan.sett("retry", failure.id, "--json");
    expect(JSON.parse(out)).toEqual({
      id: expect.any(String),
      failure: failure.id,
      goal_id: goal.id,
    });
    expect(err).toMatch(
      /, from the parallel phase on, by (tester and builder|builder and tester)\.\n/,
    );
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
    expect(await clan.stateOf(goal)).toBe("settled");
  },
  120_000,
);

nightly(
  "a retry may fail again, and its own Failure may be tried again",
  async () => {
    await using clan = await Sett.start(at, {
      coder: { ...onGoal("exclusive"), tool: failing(2, "Code") },
    });
    const goal = await clan.goal();
    const first = await failureOf(clan, goal);
    await clan.ended(goal, "terminated");
    await clan.need("retry", first.id);
    await clan.ended(goal, "terminated", `retry:${first.id}`);
    const second = await clan.made(
      goal,
      ({ id, structural_type }) => structural_type === "Failure" && id !== first.id,
    );
    expect(await clan.stateOf(goal)).toBe("failed");
    await clan.need("retry", second.id);
    expect(states((await clan.ended(goal, "complete", `retry:${second.id}`)).grants)).toEqual({
      coder: ["done", 3],
    });
    expect(await clan.stateOf(goal)).toBe("settled");
  },
  120_000,
);

nightly(
  "a retry of an attempt that was followed by another names the Failure that can be tried again",
  async () => {
    await using clan = await Sett.start(at, {
      coder: { ...onGoal("exclusive"), retries: 1, tool: failing(2, "Code") },
    });
    const goal = await clan.goal();
    await clan.ended(goal, "terminated");
    const all = await clan.board.readArtefacts(await clan.board.listArtefactsOfGoal(goal.goal_id));
    const [first, last] = all
      .filter(({ structural_type }) => structural_type === "Failure")
      .map(({ id }) => id);
    const { code, err } = await clan.sett("retry", String(first));
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining(
        `That attempt was followed by another. Its claim ended with Failure ${last}: try that one again instead.`,
      ),
    });
    await clan.need("retry", String(last));
    await clan.ended(goal, "complete", `retry:${last}`);
    expect(await clan.stateOf(goal)).toBe("settled");
  },
  120_000,
);

test("a retry is refused for what is no Failure, for an agent that is gone, and for a goal that was cancelled", async () => {
  const members: Record<string, Member> = {
    coder: { ...onGoal("exclusive"), tool: failing(9, "Code") },
    idler: onGoal("ignore"),
  };
  await using clan = await Sett.start(at, {
    ...members,
    idler: { ...onGoal("ignore"), tool: () => approval },
  });
  const refusal = async (id: string) => {
    const { code, out, err } = await clan.sett("retry", id);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    return err;
  };
  const goal = await clan.goal();
  const failure = await failureOf(clan, goal);
  await clan.ended(goal, "terminated");
  // The program itself asks for no such thing.
  await clan.board.logEvent({ type: "retry_requested", artefact_id: goal.id }, "person:test");
  await waitFor("the refusal", async () =>
    (await clan.board.readEvents("0", 1_000)).some(
      ({ data }) =>
        data?.reason === `GoalDefined ${goal.id} is no Failure: there is nothing to try again.`,
    ),
  );
  const other = await clan.goal("The other");
  const lost = await failureOf(clan, other);
  await clan.ended(other, "terminated");
  await clan.board.logEvent({ type: "cancel_requested", goal_id: other.goal_id }, "person:test");
  await waitFor(
    "the goal's end",
    async () => (await clan.board.readGoal(other.goal_id)).ended === "cancelled",
  );
  expect(await refusal(lost.id)).toContain(`Goal ${other.goal_id} was ended.`);
  const [idler] = (await clan.board.listAgents()).filter(({ name }) => name === "idler");
  await clan.board.registerAgents(idler === undefined ? [] : [idler], "person:test", {
    exact: true,
  });
  expect(await refusal(failure.id)).toContain(
    "Agent coder is not registered any more, so it cannot try again.",
  );
}, 120_000);
