// Shows what becomes of work whose source is lost, and of an orchestrator that was replaced and
// does not know it yet.
import { expect, test } from "bun:test";
import { Questions } from "../../../../apps/orchestrator/claims/questions.ts";
import { Requests } from "../../../../apps/orchestrator/claims/requests.ts";
import { Decider } from "../../../../apps/orchestrator/decide/decide-and-commit.ts";
import { leaderParts } from "../../../../apps/orchestrator/decide/leader-parts.ts";
import { Fenced } from "../../../../lib/blackboard/port/leading.ts";
import type { SettEvent } from "../../../../lib/model/event.ts";
import { InstanceName } from "../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../support/blackboard/in-memory.ts";
import { acquireLeaderLease, events, openClaim } from "../../../support/blackboard/scene.ts";
import { errorOf } from "../../../support/error-of.ts";
import { newArtefactId } from "../../../support/records/sample.ts";
import { leaderDeps } from "../../../support/world/deps.ts";
import { memoryClan } from "../../../support/world/memory-clan.ts";

/** As it is before the first leader lease, which then is that of epoch 1. */
async function createScene() {
  const memory = blackboardInMemory({ instance: InstanceName.parse("test") });
  const board = await memory.open();
  const deps = leaderDeps(1, { board });
  const parts = leaderParts(deps);
  const { agentCache: agents, pause } = parts;
  const decider = new Decider(deps, parts);
  return {
    memory,
    board,
    leader: deps.board,
    decider,
    requests: new Requests(deps, agents, new Questions(deps, agents, decider), pause),
  };
}

test("work whose result was made from what is lost is done again, without a Failure", async () => {
  await using clan = await memoryClan();
  const lost = newArtefactId();
  const work = (_: unknown, attempt: number) => (attempt === 1 ? { source_artefacts: [lost] } : {});
  await clan.join({
    coder: {
      behaviour: { bid: ({ type }) => (type === "GoalDefined" ? "exclusive" : "ignore"), work },
    },
  });
  await clan.startOrchestrator();
  const goal = await clan.postGoal();
  const { claim, grants } = await clan.ended(goal);
  expect(claim.status).toBe("complete");
  expect(grants).toMatchObject([{ state: "done", attempt: 2 }]);
  expect((await clan.artefactsOf(goal)).map(({ type }) => type)).toEqual(["GoalDefined", "Result"]);
});

test("what was read before a loss of contact decides nothing, and what shows only that a claim has moved does", async () => {
  const { memory, board, leader, decider } = await createScene();
  const { claim } = await openClaim(board, []);
  const before = leader.asOf();
  await memory.reconnect();
  const ending = { kind: "goal_ended", reason: "It was cancelled." } as const;
  expect(await errorOf(decider.decide(claim.id, ending, before))).toMatchObject({
    code: "redis-unreachable",
  });
  expect(await board.readClaim(claim.id)).toMatchObject({
    claim: { status: "pending_review", rev: 0 },
  });
  expect(await decider.decide(claim.id, { kind: "progress" }, before)).toBe(true);
  expect(await board.readClaim(claim.id)).toMatchObject({ claim: { status: "complete" } });
});

test("an orchestrator that was replaced refuses no request", async () => {
  const { board, leader, requests } = await createScene();
  await acquireLeaderLease(board);
  await acquireLeaderLease(board);
  const request: SettEvent = {
    type: "retry_requested",
    id: "1-0",
    time: new Date().toISOString(),
    actor: "person:Ada",
  };
  await expect(requests.retry(request, newArtefactId(), leader.asOf())).rejects.toBeInstanceOf(
    Fenced,
  );
  expect(await events(board, "request_refused")).toEqual([]);
});

test("a request that was read before a loss of contact is not refused", async () => {
  const { memory, board, leader, requests } = await createScene();
  await acquireLeaderLease(board);
  const failure = newArtefactId();
  const request: SettEvent = {
    type: "retry_requested",
    id: "1-0",
    time: new Date().toISOString(),
    actor: "person:Ada",
  };
  const before = leader.asOf();
  await memory.reconnect();
  expect(await errorOf(requests.retry(request, failure, before))).toMatchObject({
    code: "redis-unreachable",
  });
  expect(await events(board, "request_refused")).toEqual([]);
  await requests.retry(request, failure, leader.asOf());
  expect(await events(board, "request_refused")).toMatchObject([
    { artefact_id: failure, data: { request: "1-0" } },
  ]);
});
