// Shows what a person's word does to the grant that waits for it.
import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import type { DoneGrant, WaitingGrant } from "../../../../lib/model/claim.ts";
import type { ArtefactId } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  at,
  events,
  postGoal,
  resultOf,
  user,
} from "../../../support/blackboard/scene.ts";
import { agentName, sampleArtefact, sampleClaim } from "../../../support/records/sample.ts";

const ada = agentName("ada");
const begun = {
  agent: ada,
  phase: "review" as const,
  attempt: 1,
  queued_at: at,
  started_at: at,
  context_ids: [],
};

/** A draft whose metadata is in no particular order, in review by a person. */
async function awaitVerdict(board: Blackboard) {
  const epoch = await acquireLeaderLease(board);
  const goal = await postGoal(board);
  const metadata = { zeal: 1, commit: "a".repeat(40) as never, summary: "A draft", "7": "seven" };
  const target = sampleArtefact({ goal_id: goal.goal_id, type: "Draft", metadata });
  await board.createArtefact(target, user);
  return { epoch, goal, ...(await openReview(board, target, epoch)) };
}

/** A claim in which the person is to judge `target`, and what they may say. */
async function openReview(board: Blackboard, target: Artefact, epoch: number) {
  const claim = sampleClaim(target, [], { bidding: "closed" });
  const grant: WaitingGrant = { ...begun, state: "waiting", waits_for: { kind: "approval" } };
  await board.openClaim({
    open: { claim, cause: "standard", grants: [grant] },
    epoch,
    bidDeadlineMs: 60_000,
  });
  const verdict = (payload = "{}") => {
    const review = resultOf(target, claim, {
      structural_type: "Review",
      payload,
      produced_by_agent: ada,
    });
    const done: DoneGrant = { ...begun, state: "done", ended_at: at, artefact_ids: [review.id] };
    return { grant: done, review, actor: user } as const;
  };
  return { target, claim, verdict };
}

export function verdictsSuite(open: () => Promise<Bench>): void {
  test("a person's Review ends the grant that waited for it, also of an artefact whose metadata has an order of its own", async () => {
    await using bench = await open();
    const { target, claim, verdict } = await awaitVerdict(bench.board);
    const read = await bench.board.readWithDigest(target.id);
    expect(read?.artefact).toEqual(target);
    const approval = { ...verdict(), digest: read?.digest ?? "" };
    expect(await bench.board.recordVerdict(approval)).toEqual({ outcome: "recorded" });
    expect(await bench.board.recordVerdict(approval)).toEqual({ outcome: "recorded" });
    expect((await bench.board.readClaim(claim.id))?.grants).toEqual([approval.grant]);
    expect(await events(bench.board, "grant_done")).toMatchObject([
      {
        actor: user,
        agent: ada,
        claim_id: claim.id,
        artefact_id: approval.review.id,
        data: { phase: "review", attempt: 1, rev: 1 },
      },
    ]);
    expect(
      await bench.board.recordVerdict({ ...verdict("[1]"), digest: approval.digest }),
    ).toMatchObject({ outcome: "refused" });
  });

  test("an approval where others have to approve, too, leaves the grant waiting, and none is lost to another", async () => {
    await using bench = await open();
    const { board } = bench;
    const { target, claim, verdict } = await awaitVerdict(board);
    const digest = (await board.readWithDigest(target.id))?.digest ?? "";
    const approved = (...earlier: { review: ArtefactId; by: string }[]) => {
      const { grant, review } = verdict();
      const { state: _, ended_at: __, artefact_ids: ___, ...rest } = grant;
      const approvals = [...earlier, { review: review.id, by: "Ada" }];
      const waiting: WaitingGrant = {
        ...{ ...rest, state: "waiting", waits_for: { kind: "approval" } },
        quorum: { needed: 3, approvals },
      };
      return { order: { grant: waiting, review, digest, actor: user }, approvals };
    };
    const first = approved();
    const other = approved();
    expect(await board.recordVerdict(first.order)).toEqual({ outcome: "recorded" });
    expect(await board.recordVerdict(first.order)).toEqual({ outcome: "recorded" });
    // It was made on the grant as it was before the first.
    expect(await board.recordVerdict(other.order)).toEqual({ outcome: "stale" });
    expect(await board.readArtefact(other.order.review.id)).toBeUndefined();
    expect((await board.readClaim(claim.id))?.grants).toEqual([first.order.grant]);
    const second = approved(...first.approvals);
    expect(await board.recordVerdict(second.order)).toEqual({ outcome: "recorded" });
    const requests = await events(board, "grant_waiting");
    expect(requests.slice(1)).toMatchObject(
      [first, second].map(({ order }, at) => ({
        ...{ actor: user, agent: ada, artefact_id: order.review.id },
        data: { phase: "review", attempt: 1, approvals: 3, approved: at + 1, rev: at + 1 },
      })),
    );
    const last = verdict();
    const grant = { ...last.grant, quorum: { needed: 3, approvals: second.approvals } };
    expect(await board.recordVerdict({ ...last, grant, digest })).toEqual({ outcome: "recorded" });
    expect((await board.readClaim(claim.id))?.grants).toEqual([grant]);
  });

  test("what was overwritten by hand cannot be judged, whichever content was read", async () => {
    await using bench = await open();
    const { target, verdict } = await awaitVerdict(bench.board);
    await bench.hand.writeArtefact(target.id, { payload: "another draft" });
    const read = await bench.board.readWithDigest(target.id);
    const result = await bench.board.recordVerdict({ ...verdict(), digest: read?.digest ?? "" });
    expect(result).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("by hand"),
    });
    expect(await events(bench.board, "grant_done")).toEqual([]);
  });

  test("what was written by hand can be judged as it was taken in", async () => {
    await using bench = await open();
    const { board } = bench;
    const epoch = await acquireLeaderLease(board);
    const goal = await postGoal(board);
    const { id } = sampleArtefact();
    const fields = {
      id,
      logical_id: id,
      version: "1",
      structural_type: "Standard",
      type: "Draft",
      payload: "x",
    };
    const loose = {
      source_artefacts: `[ "${goal.id}" ]`,
      produced_by_role: "ada",
      metadata: '{ "summary" : "By hand" }',
    };
    await bench.hand.writeArtefact(id, { ...fields, ...loose });
    expect(await board.adoptArtefact(id, epoch)).toEqual({ outcome: "adopted" });
    const read = await board.readWithDigest(id);
    if (read === undefined) throw new Error("The draft is missing.");
    const { verdict } = await openReview(board, read.artefact, epoch);
    expect(await board.recordVerdict({ ...verdict(), digest: read.digest })).toEqual({
      outcome: "recorded",
    });
  });

  test("nothing is judged once the goal was ended", async () => {
    await using bench = await open();
    const { epoch, goal, target, verdict } = await awaitVerdict(bench.board);
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    const digest = (await bench.board.readWithDigest(target.id))?.digest ?? "";
    const refused = { outcome: "refused", reason: `Goal ${goal.goal_id} was ended.` } as const;
    expect(await bench.board.recordVerdict({ ...verdict(), digest })).toEqual(refused);
  });
}
