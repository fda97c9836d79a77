// sett budget, and what other commands say of the cost of calls. The gateway is played by the test.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import {
  amounts,
  recordOf,
  reserve,
  reserveOrder,
  runModelGrant,
} from "../../support/blackboard/model-scene.ts";
import { commitOf, done, events, resultOf } from "../../support/blackboard/scene.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleAgent } from "../../support/records/sample.ts";

let at: Workspace;
let board: Blackboard;
let goal: Artefact;
let result: Artefact;

/**
 * A goal with a result that two calls have led to, one of them at a price that is not known, and a
 * call under way.
 */
beforeAll(async () => {
  at = await Workspace.create();
  board = await at.board();
  await board.registerAgents([sampleAgent("coder")], "person:Ada", { exact: true });
  await board.announceGateway({
    started_at: "2026-01-01T00:00:00.000Z",
    goal_budget: { nanousd: 5_000_000_000, calls: 10 },
    agents: { coder: { model: "strong", budget: { nanousd: 1_000_000_000 } } },
    models: {
      strong: { provider: "anthropic", model: "some-model", is_priced: true, has_key: true },
    },
  });
  const scene = await runModelGrant(board);
  goal = scene.goal;
  const cost = { nanousd: 420_000_000, tokens: 12_300, calls: 1 };
  await board.endCall(recordOf(await reserve(board, reserveOrder(scene.token)), { cost }));
  const cheap = { model: "local", cost: amounts({ tokens: 700, calls: 1 }) };
  const unpriced = { ...cheap, is_unpriced: true, is_estimated: true };
  await board.endCall(recordOf(await reserve(board, reserveOrder(scene.token)), unpriced));
  await reserve(
    board,
    reserveOrder(scene.token, { reserved: { nanousd: 80_000_000, tokens: 1_000, calls: 1 } }),
  );
  result = resultOf(goal, scene.claim, { structural_type: "Terminal" });
  await board.finishGrant(done(scene.claim.id, result, scene.grant));
}, 120_000);

afterAll(async () => {
  await board[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

test("shows limits, spent, reserved and left, then the same by agent and by model", async () => {
  const { out, err, code } = await at.sett("budget", goal.id);
  expect(code).toBe(0);
  expect(out).toMatch(/^BUDGET +LIMIT +SPENT +RESERVED +LEFT$/m);
  expect(out).toMatch(/^money +\$5\.00 +\$0\.42 +\$0\.08 +\$4\.50$/m);
  expect(out).toMatch(/^tokens +none +13k +1k +-$/m);
  expect(out).toMatch(/^calls +10 +2 +1 +7$/m);
  expect(out).toContain("1 call is under way.");
  expect(out.replace(/\s+/g, " ")).toContain("The cost of 1 call is estimated:");
  expect(out).toMatch(/^coder +strong +2 \+ 1 +13k +\$0\.42 \+ \? +\$1\.00$/m);
  expect(out).toMatch(/^local +1 +30 +5 +10 +not known +some-model-1$/m);
  expect(err).toContain("The price of some calls is not known");
});

test("as JSON it has whole figures", async () => {
  const shown = JSON.parse(await at.need("budget", goal.id, "--json"));
  expect(shown).toMatchObject({
    goal_id: goal.id,
    gateway: true,
    limits: { usd: 5, tokens: null, calls: 10 },
    spent: { usd: 0.42, tokens: 13_000, calls: 2, unpriced_calls: 1, estimated_usd: 0 },
    reserved: { usd: 0.08, tokens: 1_000, calls: 1 },
    left: { usd: 4.5, tokens: null, calls: 7 },
    calls_under_way: 1,
    estimated_calls: 1,
    agents: [
      { name: "coder", model: "strong", grant_limits: { usd: 1, tokens: null, calls: null } },
    ],
    models: [
      { name: "local" },
      { name: "strong", provider: "anthropic", answered: ["some-model-1"] },
    ],
  });
});

test("a person raises the limits of a goal, or of one agent in it, on record", async () => {
  const { err, out } = await at.sett(
    "budget",
    goal.id,
    "--add",
    "2.5usd, 5 calls, 1k tokens",
    "--as",
    "Grace Hopper",
  );
  expect(err).toContain(
    `The budget of goal ${goal.id.slice(0, 8)} is raised by $2.50, 1k tokens, 5 calls.`,
  );
  expect(err).toContain("There was no limit of tokens, so there is still none.");
  expect(out).toMatch(/^money +\$7\.50 \(\$2\.50 added\) /m);
  const agent = await at.sett("budget", goal.id, "--add", "1usd", "--agent", "coder");
  expect(agent.err).toContain("is raised by $1.00 for each grant of agent coder.");
  expect(agent.out).toMatch(/^coder .*\$2\.00$/m);
  const raised = (await events(board, "budget_raised")).map(({ actor, data, agent: of }) => [
    actor,
    data?.usd,
    of,
  ]);
  expect(raised.map(String)).toEqual([
    "person:Grace Hopper,2.5,",
    "person:Ada Lovelace <ada@sett.invalid>,1,coder",
  ]);
  expect(await at.need("watch", "--no-follow")).toContain("raises the budget of coder by $1.00");
});

test.each([
  [["--add", "much"], "--add takes an amount: `much` is no amount."],
  [["--add", "0usd"], "--add takes an amount: `0usd` adds nothing."],
  [["--agent", "coder"], "--agent is only used with --add."],
  [["--add", "1usd", "--agent", "coddr"], "Did you mean `coder`?"],
])("%p is refused, and nothing is raised", async (words, sentence) => {
  const before = (await events(board, "budget_raised")).length;
  const { code, err } = await at.sett("budget", goal.id, ...words);
  expect(code).toBe(2);
  expect(err).toContain(sentence);
  expect(await events(board, "budget_raised")).toHaveLength(before);
});

test("--add needs a goal, and one that was not ended", async () => {
  expect(await at.sett("budget", "--add", "1usd")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--add needs the id of a goal."),
  });
  const { goal: other, epoch } = await runModelGrant(board);
  await board.endGoal({ goal: other.goal_id, ending: "cancelled", epoch });
  const { code, err } = await at.sett("budget", other.id, "--add", "1usd");
  expect([code, err]).toEqual([1, expect.stringContaining(`Goal ${other.id} was ended.`)]);
});

test("names the question of an agent that waits for more, where the gateway has refused a call of its work", async () => {
  const ask = async (isRefused: boolean) => {
    const { goal: other, claim, epoch, grant, token } = await runModelGrant(board);
    if (isRefused) await board.reserveCall(reserveOrder(token, { goal: { calls: 0 } }));
    const artefact = resultOf(other, claim, {
      structural_type: "Question",
      type: "BudgetExceeded",
    });
    await board.finishGrant({
      claim: claim.id,
      grant,
      endedAt: artefact.created_at,
      result: { outcome: "asked", artefact },
    });
    await board.askPeople({ question: artefact.id, epoch });
    return { question: artefact.id.slice(0, 8), said: (await at.sett("budget", other.id)).err };
  };
  const { question, said } = await ask(true);
  expect(said).toContain(`An agent waits for more: sett answer ${question} 50calls`);
  expect((await ask(false)).said).not.toContain("An agent");
  expect((await at.sett("budget", goal.id)).err).not.toContain("An agent");
});

test("calls of tools with a price count in the money, and have their sums by server and by agent", async () => {
  const { goal: other, token } = await runModelGrant(board);
  for (const id of [crypto.randomUUID(), crypto.randomUUID()]) {
    const charge = { id, server: "search", nanousd: 15_000_000, started_at: other.created_at };
    const limits = { goal: {}, grant: {} };
    await board.chargeTool({ goal: other.goal_id, token, charge, limits });
  }
  const out = await at.need("budget", other.id);
  expect(out).toMatch(/^money +\$5\.00 +\$0\.03 +\$0 +\$4\.97$/m);
  expect(out).toMatch(/^coder +strong +0 +0 +\$0\.03 +\$1\.00$/m);
  expect(out).toMatch(/^TOOLS OF +CALLS +COST\nsearch +2 +\$0\.03$/m);
  expect(JSON.parse(await at.need("budget", other.id, "--json")).tools).toEqual([
    { name: "search", calls: 2, usd: 0.03 },
  ]);
});

test("hoard, unearth, status and graph show the cost where there is one", async () => {
  const cost = { usd: 0.42, tokens: 13_000, calls: 2, unpriced_calls: 1, estimated_usd: 0 };
  const text = "$0.42, 13k tokens, 2 calls, 1 of them at a price that is not known";
  expect(await at.need("hoard", "--goal", goal.id)).toMatch(
    / COST +SUMMARY\n(.*\n)*.* \$0\.42 \+ \?/,
  );
  expect(await at.need("hoard", result.id)).toContain(`cost     ${text}`);
  expect(JSON.parse(await at.need("unearth", result.id, "--json"))).toMatchObject({ cost });
  expect(JSON.parse(await at.need("unearth", goal.id, "--json")).cost).toBeUndefined();
  const listed = JSON.parse(await at.need("hoard", "--goal", goal.id, "--json"));
  expect(listed.map((one: { cost?: object }) => one.cost)).toEqual([undefined, cost]);
  expect(await at.need("status", "--goal", goal.id)).toContain(
    `cost ${text} (coder), 1 call under way`,
  );
  const status = JSON.parse(await at.need("status", "--goal", goal.id, "--json"));
  expect(status.goals[0].cost).toEqual({ ...cost, calls_under_way: 1, agents: { coder: cost } });
  const graph = JSON.parse(await at.need("graph", goal.id, "--json"));
  expect(graph.nodes.map((node: object) => ("cost" in node ? node.cost : undefined))).toEqual([
    undefined,
    cost,
  ]);
  expect(await at.need("graph", goal.id, "--format", "tree")).toContain(
    `the goal has cost ${text}`,
  );
  for (const format of ["dot", "mermaid"])
    expect(await at.need("graph", goal.id, "--format", format)).toMatch(/cost .*0(?:\.|#46;)42/);
});

nightly("an archive still shows the cost", async () => {
  const rev = (await board.readClaim(result.claim_id as never))?.claim.rev ?? 0;
  const leader = await board.acquireLeaderLease({ holder: "h1", leaseMs: 60_000, restarted: true });
  if (leader.outcome !== "held") throw new Error("The leader lease is taken.");
  const commit = commitOf(result.claim_id as never, leader.epoch, rev, {
    set: { status: "complete" },
  });
  await board.commitClaim(commit);
  await board.giveBackCalls({ all: true });
  await board.moveCursor(leader.epoch, await board.endOfEvents());
  await at.need("prune", "--before", "0s", "--to", "old.jsonl");
  expect(await board.readCalls(goal.goal_id)).toEqual({ ended: [], open: [] });
  expect(await at.need("hoard", "--archive", "old.jsonl")).toContain("$0.42 + ?");
  expect(await at.need("hoard", "--archive", "old.jsonl", result.id)).toContain(
    "cost     $0.42, 13k tokens",
  );
  expect(
    JSON.parse(await at.need("unearth", "--archive", "old.jsonl", result.id, "--json")).cost,
  ).toMatchObject({ usd: 0.42 });
});
