// The status of a goal with many ended artefacts and claims reads those on which it depends, and is
// the same.
import { expect, test } from "bun:test";
import { goalSummary, readGoal, readGoalState } from "../../../lib/client/facts/goal.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import {
  acquireLeaderLease,
  commitOf,
  openStandard,
  resultOf,
} from "../../support/blackboard/scene.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { sampleArtefact, sampleClaim } from "../../support/records/sample.ts";

const many = 60;

test("of many claims that have ended only those of Failures are read, and of an open one its bids are waited for", async () => {
  await using at = await Workspace.create();
  await using board = await at.board();
  const epoch = await acquireLeaderLease(board);
  const goal = sampleArtefact();
  await board.createArtefact(goal, "person:Ada");
  const open = async (about: Artefact, asked: Parameters<typeof sampleClaim>[1] = []) => {
    const claim = sampleClaim(about, asked);
    await openStandard(board, claim, epoch);
    return claim;
  };
  const end = async (claim: ClaimId, about: Artefact) => {
    const ids = { goal_id: goal.goal_id, claim_id: claim, artefact_id: about.id };
    const set = { status: "terminated", bidding: "closed" } as const;
    await board.commitClaim(
      commitOf(claim, epoch, 0, { set, events: [{ type: "claim_terminated", ...ids }] }),
    );
  };
  const first = await open(goal);
  const results = Array.from({ length: many }, (_, place) =>
    resultOf(goal, first, { metadata: { summary: `Result ${place}` } }),
  );
  const claims: ClaimId[] = [];
  for (const result of results) {
    await board.createArtefact(result, "agent:coder");
    const { id } = await open(result);
    await end(id, result);
    claims.push(id);
  }
  await end(first.id, goal);
  const failure = resultOf(goal, first, { structural_type: "Failure", type: "ToolFailed" });
  await board.createArtefact(failure, "agent:coder");

  const read: ClaimId[] = [];
  const counting: typeof board = {
    ...board,
    readClaims: (ids, onMalformed) => {
      read.push(...ids);
      return board.readClaims(ids, onMalformed);
    },
  };
  const failed = await readGoal(counting, goal.goal_id);
  expect([failed.status.state, failed.status.failures, failed.artefacts.length]).toEqual([
    "failed",
    [failure.id],
    many + 2,
  ]);
  expect(read).toEqual([first.id]);

  const last = resultOf(goal, first);
  await board.createArtefact(last, "agent:coder");
  const owed = await readGoal(counting, goal.goal_id);
  expect([owed.status.state, owed.status.waitingFor]).toMatchObject([
    "running",
    [{ kind: "claim", artefact: last.id }],
  ]);
  const { id } = await open(last);
  read.length = 0;
  const running = await readGoal(counting, goal.goal_id);
  expect([running.status.state, running.status.openClaims.map(({ claim }) => claim.id)]).toEqual([
    "running",
    [id],
  ]);
  expect(read.toSorted()).toEqual([first.id, id].toSorted());
}, 120_000);

test("of what is at rest in a goal nothing is read for its state, which is the same", async () => {
  await using at = await Workspace.create();
  await using board = await at.board();
  const epoch = await acquireLeaderLease(board);
  const goal = sampleArtefact({ metadata: { summary: "Write it" } });
  await board.createArtefact(goal, "person:Ada");
  const open = async (about: Artefact, cause = "standard") => {
    const claim = sampleClaim(about, []);
    await board.openClaim({ open: { claim, cause, grants: [] }, epoch, bidDeadlineMs: 60_000 });
    return claim;
  };
  const end = ({ id, artefact_id }: ReturnType<typeof sampleClaim>) =>
    board.commitClaim(
      commitOf(id, epoch, 0, {
        set: { status: "terminated", bidding: "closed" },
        events: [{ type: "claim_terminated", goal_id: goal.goal_id, claim_id: id, artefact_id }],
      }),
    );
  const first = await open(goal);
  const post = async (over: Partial<Artefact> = {}) => {
    const artefact = resultOf(goal, first, over);
    await board.createArtefact(artefact, "agent:coder");
    return artefact;
  };
  const results: Artefact[] = [];
  for (let count = 0; count < many; count += 1)
    results.push(await post({ metadata: { summary: `Result ${count}` } }));
  for (const result of results) await end(await open(result));

  const read = new Set<ArtefactId>();
  const counting: typeof board = {
    ...board,
    readHeads: (ids) => {
      for (const id of ids) read.add(id);
      return board.readHeads(ids);
    },
  };
  /** Its state, which is the same for one who reads all of it. */
  const stateOf = async () => {
    read.clear();
    const [one, all] = [
      await readGoalState(counting, goal.goal_id),
      await readGoal(board, goal.goal_id),
    ];
    expect([one.status, one.count, one.unreadable, goalSummary(one)]).toEqual([
      all.status,
      all.count,
      all.unreadable,
      goalSummary(all),
    ]);
    expect([one.artefacts[0], one.trigger]).toEqual([all.artefacts[0], all.trigger]);
    return one.status.state;
  };
  expect(await stateOf()).toBe("running");
  await end(first);
  expect(await stateOf()).toBe("settled");
  expect(read.size).toBeLessThan(5);

  const last = await post();
  expect(await stateOf()).toBe("running");
  const claim = await open(last);
  expect(await stateOf()).toBe("running");
  const failure = await post({
    structural_type: "Failure",
    type: "ToolFailed",
    claim_id: claim.id,
  });
  await end(claim);
  expect(await stateOf()).toBe("failed");
  const retry = await open(last, `retry:${failure.id}`);
  expect(await stateOf()).toBe("running");
  await end(retry);
  expect(await stateOf()).toBe("settled");
  const next = await post({
    logical_id: goal.logical_id,
    version: 2,
    type: goal.type,
    metadata: { summary: "Write it better" },
  });
  await end(await open(next));
  expect(await stateOf()).toBe("settled");
  await post({ structural_type: "Terminal", type: "Done" });
  expect(await stateOf()).toBe("achieved");

  const [damaged] = results.slice(-1);
  await at.redis.cli(
    "HSET",
    `sett:${board.instance}:artifact:${damaged?.id}`,
    "created_at",
    "yesterday",
  );
  expect(await stateOf()).toBe("achieved");
  const { goals } = JSON.parse(await at.need("status", "--json"));
  expect(goals).toMatchObject([
    {
      id: goal.id,
      state: "achieved",
      summary: "Write it better",
      artefacts: many + 4,
      unreadable: [damaged?.id],
    },
  ]);
}, 120_000);
