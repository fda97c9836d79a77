// Of a goal with many claims that have ended, its status reads none of them but those of Failures, and is the same.
import { expect, test } from "bun:test";
import { readGoal } from "../../../lib/client/facts/goal.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { acquireLeaderLease, commitOf, resultOf } from "../../support/blackboard/scene.ts";
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
    await board.openClaim({ open: { claim, cause: "standard", grants: [] }, epoch, bidDeadlineMs: 60_000 });
    return claim;
  };
  const end = async (claim: ClaimId, about: Artefact) => {
    const ids = { goal_id: goal.goal_id, claim_id: claim, artefact_id: about.id };
    const set = { status: "terminated", bidding: "closed" } as const;
    await board.commitClaim(commitOf(claim, epoch, 0, { set, events: [{ type: "claim_terminated", ...ids }] }));
  };
  const first = await open(goal);
  const results = Array.from({ length: many }, (_, place) => resultOf(goal, first, { metadata: { summary: `Result ${place}` } }));
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
  expect([failed.status.state, failed.status.failures, failed.artefacts.length]).toEqual(["failed", [failure.id], many + 2]);
  expect(read).toEqual([first.id]);

  const last = resultOf(goal, first);
  await board.createArtefact(last, "agent:coder");
  const owed = await readGoal(counting, goal.goal_id);
  expect([owed.status.state, owed.status.waitingFor]).toMatchObject(["running", [{ kind: "claim", artefact: last.id }]]);
  const { id } = await open(last);
  read.length = 0;
  const running = await readGoal(counting, goal.goal_id);
  expect([running.status.state, running.status.openClaims.map(({ claim }) => claim.id)]).toEqual(["running", [id]]);
  expect(read.toSorted()).toEqual([first.id, id].toSorted());
}, 120_000);
