import { expect, test } from "bun:test";
import type { Announcement } from "../../../../lib/blackboard/port/claims.ts";
import type { MalformedClaim } from "../../../../lib/model/claim.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  byHand,
  commitOf,
  events,
  openClaim,
  postGoal,
  queued,
} from "../../../support/blackboard/scene.ts";
import {
  agentName,
  newClaimId,
  sampleArtefact,
  sampleClaim,
} from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";

export function claimsSuite(open: () => Promise<Bench>): void {
  test("a claim reads back as it was opened, with its event", async () => {
    await using bench = await open();
    const { claim, goal } = await openClaim(bench.board, ["coder", "tester-2"]);
    expect(await bench.board.readClaim(claim.id)).toEqual({ claim, grants: [] });
    expect(await bench.board.readClaims([newClaimId(), claim.id])).toEqual([{ claim, grants: [] }]);
    expect(await bench.board.listOpenClaims()).toEqual([claim.id]);
    expect(await bench.board.claimsOfArtefact(goal.id)).toEqual(new Map([["standard", claim.id]]));
    const [event] = await events(bench.board, "claim_opened");
    expect(event).toMatchObject({
      actor: "orchestrator:1",
      claim_id: claim.id,
      artefact_id: goal.id,
      goal_id: goal.goal_id,
      data: { kind: "standard", cause: "standard", missing: 2 },
    });
  });

  test("a claim that was broken by hand is reported, and read again once it is repaired; it hides no other", async () => {
    await using bench = await open();
    const { board, hand } = bench;
    const { claim, goal } = await openClaim(board, ["coder"]);
    const { claim: other } = await openClaim(board, ["coder"]);
    await hand.breakClaim(claim.id);
    const malformed: MalformedClaim[] = [];
    const both = [claim.id, other.id];
    expect(await board.readClaims(both, (one) => malformed.push(one))).toEqual([
      { claim: other, grants: [] },
    ]);
    const problem = expect.stringContaining(`claim:${claim.id} is malformed`);
    expect(malformed).toEqual([
      { claim: claim.id, goal: goal.goal_id, status: "pending_review", problem: problem as never },
    ]);
    await expect(board.readClaim(claim.id)).rejects.toMatchObject({
      code: "blackboard-refused",
      message: problem,
      hint: expect.stringContaining(`redis-cli HGETALL sett:${board.instance}:claim:${claim.id}`),
    });
    expect(await board.listOpenClaims()).toEqual(both);
    await hand.mendClaim(claim.id);
    expect(await board.readClaims(both)).toHaveLength(2);
  });

  test("a cause has one claim, ever", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await openClaim(bench.board, ["coder"]);
    const again = {
      open: { claim: sampleClaim(goal, ["coder"]), cause: "standard", grants: [] },
      epoch,
      bidDeadlineMs: 1_000,
    };
    expect(await bench.board.openClaim(again)).toEqual({ outcome: "exists", claim: claim.id });
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await bench.board.openClaim(again)).toEqual({ outcome: "exists", claim: claim.id });
    expect(await bench.board.openClaim({ ...again, epoch: epoch + 1 })).toEqual({
      outcome: "fenced",
    });
    expect(await bench.board.listOpenClaims()).toEqual([claim.id]);
    expect(await events(bench.board, "claim_opened")).toHaveLength(1);
  });

  test("no claim is opened for an ended goal or about nothing", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const order = (claim = sampleClaim(goal, [])) => ({
      open: { claim, cause: "standard", grants: [] },
      epoch,
      bidDeadlineMs: 1,
    });
    expect(await bench.board.openClaim(order(sampleClaim(sampleArtefact(), [])))).toMatchObject({
      outcome: "refused",
    });
    // Its adoption may have been lost with the last writes of Redis.
    const notAdopted = sampleArtefact();
    await bench.hand.writeArtefact(notAdopted.id, byHand(notAdopted));
    expect(await bench.board.openClaim(order(sampleClaim(notAdopted, [])))).toMatchObject({
      outcome: "refused",
      reason: `There is no artefact ${notAdopted.id} on record.`,
    });
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await bench.board.openClaim(order())).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/was ended/),
    });
    expect(await bench.board.listOpenClaims()).toEqual([]);
  });

  test("the bid deadline falls due by the blackboard's clock and stays due until it is cleared", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const claim = sampleClaim(goal, ["coder"]);
    await bench.board.openClaim({
      open: { claim, cause: "standard", grants: [] },
      epoch,
      bidDeadlineMs: 30,
    });
    const due = await waitFor("the deadline", async () => {
      const items = await bench.board.listDue(10);
      return items.length > 0 && items;
    });
    expect(due).toEqual([{ kind: "bids", claim: claim.id }]);
    expect(await bench.board.listDue(10)).toEqual(due);
    expect(await bench.board.clearDue(due, epoch + 1)).toEqual({ outcome: "fenced" });
    expect(await bench.board.clearDue(due, epoch)).toEqual({ outcome: "cleared" });
    expect(await bench.board.listDue(10)).toEqual([]);
  });

  test("an announcement reaches the cubs, may be repeated, and is due again after that", async () => {
    await using bench = await open();
    const before = await bench.board.endOfAnnouncements();
    const { claim, epoch } = await openClaim(bench.board, ["coder", "tester"]);
    const order = { claim: claim.id, epoch, nextAfterMs: 0, isSilent: false };
    expect(await bench.board.announceClaim({ ...order, isSilent: true })).toEqual({
      outcome: "announced",
    });
    expect(await bench.board.listDue(10)).toEqual([{ kind: "announce", claim: claim.id }]);
    expect(await events(bench.board, "claim_announced")).toEqual([]);
    expect(await bench.board.announceClaim(order)).toEqual({ outcome: "announced" });
    await bench.board.placeBid({ claim: claim.id, agent: agentName("coder"), word: "claim" });
    expect(await bench.board.announceClaim(order)).toEqual({ outcome: "announced" });
    expect(await events(bench.board, "claim_announced")).toMatchObject([{ data: { missing: 2 } }]);
    const announcements: Announcement[] = [];
    for await (const batch of bench.board.followAnnouncements(
      before,
      AbortSignal.timeout(60_000),
    )) {
      announcements.push(...batch);
      if (announcements.length === 3) break;
    }
    const announced = {
      claim: claim.id,
      artefact_id: claim.artefact_id,
      type: "GoalDefined",
      produced_by_role: "user",
    };
    const [coder, tester] = [agentName("coder"), agentName("tester")];
    const both = { ...announced, missing: [coder, tester] };
    expect(announcements).toEqual([both, both, { ...announced, missing: [tester] }]);
    expect(await bench.board.endOfAnnouncements()).not.toBe(before);

    expect(await bench.board.announceClaim({ ...order, epoch: epoch + 1 })).toEqual({
      outcome: "fenced",
    });
    await bench.board.commitClaim(commitOf(claim.id, epoch, 1, { set: { bidding: "closed" } }));
    expect(await bench.board.announceClaim(order)).toEqual({ outcome: "ended" });
    expect(await bench.board.listDue(10)).toEqual([]);
  });

  test("a claim with a stand-in says so, and so does the event of its grant", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const standIn = { for: "coder-one", because: 'Agent "coder-one" is gone: \\ü\n.' };
    const kind = {
      kind: "rework",
      status: "pending_exclusive",
      bidding: "closed",
      stand_in: standIn,
    } as const;
    const claim = sampleClaim(goal, [], kind);
    const grants = [queued("coder")];
    await bench.board.openClaim({
      open: { claim, cause: "rework:1", grants },
      epoch,
      bidDeadlineMs: 0,
    });
    expect(await bench.board.readClaim(claim.id)).toEqual({ claim, grants });
    const [event] = await events(bench.board, "grant_queued");
    const data = { instead_of: standIn.for, because: standIn.because };
    expect(event).toMatchObject({
      claim_id: claim.id,
      agent: "coder",
      data: { phase: "exclusive", attempt: 1, ...data },
    });
  });

  test("a claim that begins in a phase wakes its agent and asks for no bids", async () => {
    await using bench = await open();
    const before = await bench.board.endOfAnnouncements();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const claim = sampleClaim(goal, [], {
      kind: "rework",
      status: "pending_exclusive",
      bidding: "closed",
    });
    const grants = [queued("coder")];
    await bench.board.openClaim({
      open: { claim, cause: "rework:1", grants },
      epoch,
      bidDeadlineMs: 0,
    });
    expect(await bench.board.readClaim(claim.id)).toEqual({ claim, grants });
    expect(await bench.board.endOfAnnouncements()).toBe(before);
    expect(await bench.board.listDue(10)).toEqual([]);
    const [event] = await events(bench.board, "grant_queued");
    expect(event).toMatchObject({
      claim_id: claim.id,
      agent: "coder",
      data: { phase: "exclusive", attempt: 1 },
    });
    for await (const batch of bench.board.followGrants(
      queued("coder").agent,
      AbortSignal.timeout(60_000),
    )) {
      expect(batch).toEqual([claim.id]);
      break;
    }
  });
}
