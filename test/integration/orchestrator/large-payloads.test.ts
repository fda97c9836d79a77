// Shows what an orchestrator reads when it looks at everything again, measured at a real Redis:
// what it decides on, and not what artefacts say.
import { afterAll, expect, test } from "bun:test";
import { Questions } from "../../../apps/orchestrator/claims/questions.ts";
import { Reconciler } from "../../../apps/orchestrator/claims/reconcile.ts";
import { Decider } from "../../../apps/orchestrator/decide/decide-and-commit.ts";
import { leaderParts } from "../../../apps/orchestrator/decide/leader-parts.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { acquireLeaderLease, commitOf, openStandard } from "../../support/blackboard/scene.ts";
import {
  agentName,
  newArtefactId,
  sampleAgent,
  sampleArtefact,
  sampleClaim,
} from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { leaderDeps } from "../../support/world/deps.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

const mebibyte = 1024 * 1024;
const at = "2026-01-01T00:00:00.000Z";

test("reconciling reads no payloads of targets", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  const look = await createLook(board);
  for (let count = 0; count < 20; count += 1) {
    const goal = sampleArtefact({ payload: "x".repeat(mebibyte) });
    await board.createArtefact(goal, "person:test");
    const open = { claim: sampleClaim(goal, ["coder"]), cause: "standard", grants: [] };
    await board.openClaim({ open, epoch: look.epoch, bidDeadlineMs: 60_000 });
  }
  expect(await bytesSent(look.reconcile)).toBeLessThan(mebibyte);
  expect(await board.listOpenClaims()).toHaveLength(20);
});

test("reconciling reads what a review says once", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  const look = await createLook(board);
  const goal = sampleArtefact();
  await board.createArtefact(goal, "person:test");
  const review = sampleArtefact({
    structural_type: "Review",
    type: "Review",
    payload: "x".repeat(mebibyte),
    goal_id: goal.goal_id,
    produced_by_role: "critic",
    produced_by_agent: "critic",
  });
  await board.createArtefact(review, "person:test");
  const claim = sampleClaim(goal, ["critic", "second"]);
  await openStandard(board, claim, look.epoch);
  const grant = { phase: "review" as const, attempt: 1, queued_at: at };
  const done = {
    ...grant,
    started_at: at,
    context_ids: [],
    ended_at: at,
    artefact_ids: [review.id],
    state: "done" as const,
  };
  await board.commitClaim(
    commitOf(claim.id, look.epoch, 0, {
      set: { bidding: "closed" },
      bids: ["critic", "second"].map((agent) => ({
        agent: agentName(agent),
        word: "review" as const,
      })),
      grants: [
        { agent: agentName("critic"), ...done },
        { agent: agentName("second"), ...grant, state: "queued" },
      ],
    }),
  );
  expect(await bytesSent(look.reconcile)).toBeGreaterThan(mebibyte);
  expect(await bytesSent(look.reconcile)).toBeLessThan(mebibyte / 10);
});

test("a question is looked at without what it says", async () => {
  await using bench = await openRedisBench(server);
  const look = await createLook(bench.board);
  const goal = sampleArtefact();
  await bench.board.createArtefact(goal, "person:test");
  const question = sampleArtefact({
    id: newArtefactId(),
    structural_type: "Question",
    type: "Question",
    payload: "x".repeat(mebibyte),
    goal_id: goal.goal_id,
    source_artefacts: [goal.id],
  });
  await bench.board.createArtefact(question, "person:test");
  expect(await bytesSent(() => look.questions.settleQuestion(question.id))).toBeLessThan(
    mebibyte / 10,
  );
  expect(await bench.board.listOpenQuestions()).toEqual([question.id]);
});

/** Returns what an orchestrator has at hand, and its look at all open claims. */
async function createLook(board: Blackboard) {
  await board.registerAgents(
    [sampleAgent("coder"), sampleAgent("critic"), sampleAgent("second")],
    "person:test",
    {
      exact: true,
    },
  );
  const epoch = await acquireLeaderLease(board);
  const deps = leaderDeps(epoch, { board });
  const { agentCache: agents, ...parts } = leaderParts(deps);
  const decider = new Decider(deps, { agentCache: agents, ...parts });
  const questions = new Questions(deps, agents, decider);
  const reconciler = new Reconciler(deps, { decider, questions, presence: parts.presence });
  return {
    epoch,
    questions,
    reconcile: () => reconciler.lookAtAll(true),
  };
}

/** Returns what Redis has sent to everybody meanwhile. */
async function bytesSent(during: () => Promise<void>): Promise<number> {
  const before = await sentSoFar();
  await during();
  return (await sentSoFar()) - before;
}

async function sentSoFar(): Promise<number> {
  return Number((await server.cli("INFO", "stats")).match(/total_net_output_bytes:(\d+)/)?.[1]);
}
