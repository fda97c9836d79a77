import { expect, test } from "bun:test";
import type { Grant } from "../../../../lib/model/claim.ts";
import type { ClaimId } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  at,
  commitOf,
  done,
  openClaim,
  postGoal,
  queued,
  queueGrant,
  resultOf,
  runGrant,
  running,
} from "../../../support/blackboard/scene.ts";
import { agentName, newArtefactId, sampleClaim } from "../../../support/records/sample.ts";

const coder = agentName("coder");
const tester = agentName("tester");

export function claimsOfAgentsSuite(open: () => Promise<Bench>): void {
  test("an agent is asked about a claim until its bid is on record, however it got there", async () => {
    await using bench = await open();
    const { board } = bench;
    const questions = () =>
      Promise.all([coder, tester].map((agent) => board.listClaimsOf(agent, "asked")));
    const first = await openClaim(board, ["coder", "tester"]);
    const bids = [{ agent: tester, word: "claim" as const }];
    const { claim: second, epoch } = await openClaim(board, ["coder", "tester"], { bids });
    expect(await questions()).toEqual([[first.claim.id, second.id], [first.claim.id]]);
    await board.placeBid({ claim: first.claim.id, agent: coder, word: "ignore" });
    expect(await questions()).toEqual([[second.id], [first.claim.id]]);
    await board.placeBid({ claim: first.claim.id, agent: tester, word: "review" });
    expect(await questions()).toEqual([[second.id], []]);
    // Imposed, while the bidding goes on.
    await board.commitClaim(
      commitOf(second.id, epoch, 0, { bids: [{ agent: coder, word: "ignore" }] }),
    );
    expect(await questions()).toEqual([[], []]);
  });

  test.each([
    ["closes", { bidding: "closed" }],
    [
      "ends with its claim",
      { bidding: "closed", status: "terminated", termination_reason: "enough" },
    ],
  ] as const)("no agent is asked any more when the bidding %s", async (_how, set) => {
    await using bench = await open();
    const { board } = bench;
    const { claim, epoch } = await openClaim(board, ["coder", "tester"]);
    await board.placeBid({ claim: claim.id, agent: coder, word: "claim" });
    await board.commitClaim(commitOf(claim.id, epoch, 1, { set }));
    expect(await board.listClaimsOf(coder, "asked")).toEqual([]);
    expect(await board.listClaimsOf(tester, "asked")).toEqual([]);
  });

  test("a claim is an agent's work from its first grant until that grant is done", async () => {
    await using bench = await open();
    const { board } = bench;
    const work = () => board.listClaimsOf(coder, "work");
    const { claim, goal } = await queueGrant(board);
    expect(await work()).toEqual([claim.id]);
    await board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 60_000 });
    expect(await work()).toEqual([claim.id]);
    await board.finishGrant(done(claim.id, resultOf(goal, claim)));
    expect(await work()).toEqual([]);
    expect(await board.listClaimsOf(tester, "work")).toEqual([]);
  });

  test("a failed grant may be tried again: it is work until its claim ends", async () => {
    await using bench = await open();
    const { board } = bench;
    const { claim, goal, epoch } = await runGrant(board);
    const failure = resultOf(goal, claim, { structural_type: "Failure", type: "ToolFailed" });
    const failed = { outcome: "failed", artefact: failure, reason: "broken" } as const;
    await board.finishGrant({
      claim: claim.id,
      grant: running("coder"),
      endedAt: at,
      result: failed,
    });
    expect(await board.listClaimsOf(coder, "work")).toEqual([claim.id]);
    const set = { status: "terminated", termination_reason: "broken" } as const;
    await board.commitClaim(commitOf(claim.id, epoch, 3, { set }));
    expect(await board.listClaimsOf(coder, "work")).toEqual([]);
  });

  test("a cancelled grant is no work", async () => {
    await using bench = await open();
    const { board } = bench;
    const { claim, epoch } = await queueGrant(board);
    const cancelled: Grant = {
      ...queued("coder"),
      state: "cancelled",
      ended_at: at,
      reason: "enough",
    };
    await board.commitClaim(commitOf(claim.id, epoch, 1, { grants: [cancelled] }));
    expect(await board.listClaimsOf(coder, "work")).toEqual([]);
  });

  test("claims that are opened with grants are work, in the order in which they were opened", async () => {
    await using bench = await open();
    const { board } = bench;
    const epoch = await acquireLeaderLease(board);
    const goal = await postGoal(board);
    const ids: ClaimId[] = [];
    for (const cause of ["rework:1", "rework:2"]) {
      const claim = sampleClaim(goal, [], {
        kind: "rework",
        bidding: "closed",
        status: "pending_exclusive",
      });
      await board.openClaim({
        open: { claim, cause, grants: [queued("coder")] },
        epoch,
        bidDeadlineMs: 60_000,
      });
      ids.push(claim.id);
    }
    const [first, second] = ids as [ClaimId, ClaimId];
    await board.acceptGrant({ claim: first, grant: running("coder"), leaseMs: 60_000 });
    await board.commitClaim(commitOf(first, epoch, 1, { grants: [queued("coder", 2)] }));
    expect(await board.listClaimsOf(coder, "work")).toEqual([first, second]);
  });

  test("the open claims of a goal are its own, and also those whose record is damaged", async () => {
    await using bench = await open();
    const { board } = bench;
    const { claim, goal } = await openClaim(board, ["coder"]);
    const other = await openClaim(board, ["coder"]);
    await bench.hand.breakClaim(claim.id);
    expect(await board.listOpenClaimsOfGoal(goal.goal_id)).toEqual([claim.id]);
    const set = { status: "terminated", bidding: "closed", termination_reason: "" } as const;
    await board.commitClaim(commitOf(other.claim.id, other.epoch, 0, { set }));
    expect(await board.listOpenClaimsOfGoal(other.goal.goal_id)).toEqual([]);
    const unknown = newArtefactId() as string as typeof goal.goal_id;
    expect(await board.listOpenClaimsOfGoal(unknown)).toEqual([]);
  });

  test("open claims come in pages", async () => {
    await using bench = await open();
    const { board } = bench;
    const ids: ClaimId[] = [];
    for (let count = 0; count < 3; count++) ids.push((await openClaim(board, ["coder"])).claim.id);
    expect(await board.countOpenClaims()).toBe(3);
    expect(await board.listOpenClaims({ from: 1, count: 5 })).toEqual(ids.slice(1));
    expect(await board.listOpenClaims({ from: 0, count: 2 })).toEqual(ids.slice(0, 2));
    expect(await board.listOpenClaims({ from: 0, count: 0 })).toEqual([]);
  });
}
