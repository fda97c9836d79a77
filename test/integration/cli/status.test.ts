// sett status on claims that do not move: sentences for people, the same facts as data for
// programs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { type ServiceProcess, startService } from "../../support/process/service-process.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { playAgent } from "../../support/world/played-agent.ts";

let at: Workspace;
let board: Blackboard;
let orchestrator: ServiceProcess;
const stop = new AbortController();
const [coder, reviewer, tester] = [agentName("coder"), agentName("reviewer"), agentName("tester")];
const first = sampleArtefact({
  metadata: { summary: "The first" },
  created_at: "2026-01-01T00:00:00.000Z",
});
const second = sampleArtefact({
  metadata: { summary: "The second" },
  created_at: "2026-01-01T00:00:01.000Z",
});
let claims: ClaimId[];

/**
 * The coder is at work on the first goal, which keeps it from starting on the second; the third
 * agent stays silent.
 */
beforeAll(async () => {
  at = await Workspace.create();
  board = await at.board();
  const agents = [coder, reviewer, tester].map((name) =>
    sampleAgent(name, { bids_by_command: true }),
  );
  await board.registerAgents(agents, "person:Ada", { exact: true });
  for (const agent of [coder, reviewer])
    await board.reportStatus(agent, { at: Date.now() + 600_000, state: "working" });
  await board.reportStatus(tester, { at: Date.now() - 240_000, state: "idle" });
  const approval = { structural_type: "Review", type: "Review", payload: "{}" } as const;
  void playAgent(board, reviewer, { bid: () => "review", work: () => approval }, stop.signal).catch(
    () => {},
  );
  orchestrator = startService("orchestrator", { ...at.env, SETT_HEALTH_PORT: "0" });
  for (const goal of [first, second]) await board.createArtefact(goal, "person:Ada");
  claims = await Promise.all([first, second].map(({ id }) => claimOf(id)));
  for (const claim of claims) await board.placeBid({ claim, agent: coder, word: "exclusive" });
  for (const claim of claims) await bids(claim, 2);
}, 120_000);

afterAll(async () => {
  stop.abort();
  await orchestrator[Symbol.asyncDispose]();
  await board[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

const claimOf = (id: typeof first.id) =>
  waitFor("its claim", async () => (await board.claimsOfArtefact(id)).get("standard"));
const bids = (claim: ClaimId, count: number) =>
  waitFor(`${count} bids`, async () => (await board.readClaim(claim))?.claim.bids.length === count);

async function statusOf(goal: typeof first) {
  const { goals, orchestrator } = JSON.parse(await at.need("status", "--json", "--goal", goal.id));
  return { ...goals[0], orchestrator };
}

test("says whose bid is missing, and that this agent is silent", async () => {
  const status = await statusOf(first);
  expect(status.open_claims).toMatchObject([
    { stage: "bidding", bids: { coder: "exclusive", reviewer: "review", tester: null } },
  ]);
  expect(status.waiting_for).toEqual([
    expect.objectContaining({
      kind: "bid",
      agent: tester,
      why: { reason: "silent", last_heard: expect.any(String) },
    }),
  ]);
  const text = await at.need("status", "--goal", first.id);
  expect(text).toContain(
    `claim ${claims[0]?.slice(0, 8)} on GoalDefined  bids coder:exclusive reviewer:review tester:?`,
  );
  expect(text).toMatch(
    /waits for the bid of `tester`, \w+: it is silent \(last heard \dm ago\): `sett up` .*`sett logs tester`/,
  );
  expect(text).toMatch(/^tester +tester +silent +\dm ago$/m);
}, 120_000);

test("shows each phase with what is done of it, and that an agent is at work elsewhere", async () => {
  for (const claim of claims) await board.placeBid({ claim, agent: tester, word: "ignore" });
  const [one, other] = claims;
  if (one === undefined || other === undefined) throw new Error("There are two claims.");
  const theirGrants = async () => {
    const snapshots = await board.readClaims(claims);
    const grants = snapshots.flatMap(({ grants }) =>
      grants.filter(({ agent, state }) => agent === coder && state === "queued"),
    );
    return grants.length === 2 && grants[0];
  };
  const queued = await waitFor("the coder's grants", theirGrants);
  const { phase, attempt, queued_at } = queued;
  const started_at = new Date().toISOString();
  const grant = {
    agent: coder,
    phase,
    attempt,
    queued_at,
    started_at,
    context_ids: [],
    state: "running" as const,
  };
  await board.acceptGrant({ claim: one, grant, leaseMs: 600_000 });
  expect((await statusOf(second)).waiting_for).toEqual([
    expect.objectContaining({
      kind: "start",
      agent: coder,
      claim: other,
      why: { reason: "busy", claims: [one], since: started_at },
    }),
  ]);
  const working = await statusOf(first);
  expect(working.waiting_for).toMatchObject([
    { kind: "work", agent: coder, why: { reason: "alive", state: "working" } },
  ]);
  expect(working.open_claims[0]).toMatchObject({
    stage: "exclusive",
    phases: [
      { phase: "review", done: 1, of: 1, agents: [{ agent: reviewer, state: "done" }] },
      { phase: "exclusive", done: 0, of: 1, agents: [{ agent: coder, state: "running" }] },
    ],
  });
  const text = await at.need("status");
  expect(text).toMatch(/waits for `coder`, at work for \w+\n/);
  expect(text).toContain("review +reviewer -> exclusive ocoder");
  expect(text).toMatch(
    new RegExp(
      `waits for \`coder\` to start, \\w+: it has worked on claim ${one.slice(0, 8)} for \\w+`,
    ),
  );
}, 120_000);

test("says that no orchestrator is running, once the orchestrator has died and its lease has lapsed", async () => {
  expect((await statusOf(first)).orchestrator).toMatchObject({ alive: true });
  orchestrator.signal("SIGKILL");
  await orchestrator.exited;
  await waitFor(
    "the lease to lapse",
    async () => ((await board.readLeader())?.expiresInMs ?? 1) <= 0,
  );
  await board.createArtefact(sampleArtefact({ metadata: { summary: "The third" } }), "person:Ada");
  expect((await statusOf(first)).orchestrator).toMatchObject({ alive: false });
  const text = await at.need("status");
  expect(text).toMatch(/the orchestrator \(.+, epoch 1\) is silent, last heard \w+ ago/);
  expect(text).toMatch(
    /waits for the orchestrator to open a claim on [0-9a-f]{8}, \w+: no orchestrator is active/,
  );
}, 120_000);
