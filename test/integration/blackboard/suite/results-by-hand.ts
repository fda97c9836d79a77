import { expect, test } from "bun:test";
import { fieldsOfArtefact } from "../../../../lib/blackboard/records/artefact-fields.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  at,
  commitOf,
  done,
  events,
  openClaim,
  postGoal,
  queued,
  queueGrant,
  resultOf,
  runGrant,
} from "../../../support/blackboard/scene.ts";
import { agentName, newClaimId, newGoalId } from "../../../support/records/sample.ts";

/** Returns what a person writes and publishes, as the orchestrator takes it in. */
async function hand(bench: Bench, artefact: Artefact, epoch: number) {
  const { created_at: _, ...fields } = fieldsOfArtefact(artefact);
  await bench.hand.writeArtefact(artefact.id, fields);
  return await bench.board.adoptArtefact(artefact.id, epoch);
}

const grantOf = async ({ board }: Bench, claim: Artefact["claim_id"]) =>
  claim === "" ? undefined : (await board.readClaim(claim))?.grants[0];

export function resultsByHandSuite(open: () => Promise<Bench>): void {
  test("the result of a queued grant ends it as if it had been accepted", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await queueGrant(bench.board);
    const before = await bench.board.readClaim(claim.id);
    const result = resultOf(goal, claim);
    expect(await hand(bench, result, epoch)).toEqual({ outcome: "adopted" });
    expect(await grantOf(bench, claim.id)).toEqual({
      agent: agentName("coder"),
      phase: "exclusive",
      attempt: 1,
      queued_at: at,
      state: "done",
      started_at: expect.any(String),
      context_ids: [],
      ended_at: expect.any(String),
      artefact_ids: [result.id],
    });
    expect((await bench.board.readClaim(claim.id))?.claim.rev).toBe((before?.claim.rev ?? 0) + 2);
    const logged = (await events(bench.board)).slice(-3);
    const about = { actor: "hand", goal_id: goal.goal_id, claim_id: claim.id };
    expect(logged).toMatchObject([
      {
        ...about,
        type: "grant_started",
        artefact_id: goal.id,
        agent: "coder",
        data: { phase: "exclusive", attempt: 1 },
      },
      { ...about, type: "artefact_created", artefact_id: result.id },
      {
        ...about,
        type: "grant_done",
        artefact_id: result.id,
        agent: "coder",
        data: { phase: "exclusive", attempt: 1 },
      },
    ]);
    expect(await bench.board.adoptArtefact(result.id, epoch)).toEqual({ outcome: "known" });
    expect(await events(bench.board, "grant_done")).toHaveLength(1);
  });

  test("the result of a running grant takes its lease, and what the agent brings later is refused", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await runGrant(bench.board, 1);
    expect(await hand(bench, resultOf(goal, claim), epoch)).toEqual({ outcome: "adopted" });
    expect(await grantOf(bench, claim.id)).toMatchObject({ state: "done", started_at: at });
    expect(await events(bench.board, "grant_started")).toHaveLength(1);
    expect((await bench.board.listDue(10)).filter(({ kind }) => kind === "lease")).toEqual([]);
    expect(await bench.board.finishGrant(done(claim.id, resultOf(goal, claim)))).toMatchObject({
      outcome: "refused",
    });
  });

  test("a Failure fails the grant, for the reason that its summary gives, or else its type", async () => {
    for (const [metadata, reason] of [
      [{ summary: "The door is locked" }, "The door is locked"],
      [{}, "Locked"],
    ] as const) {
      await using bench = await open();
      const { epoch, goal, claim } = await queueGrant(bench.board);
      const failure = resultOf(goal, claim, {
        structural_type: "Failure",
        type: "Locked",
        metadata,
      });
      expect(await hand(bench, failure, epoch)).toEqual({ outcome: "adopted" });
      expect(await grantOf(bench, claim.id)).toMatchObject({
        state: "failed",
        artefact_ids: [failure.id],
        reason,
      });
      const [event] = await events(bench.board, "grant_failed");
      expect(event).toMatchObject({
        actor: "hand",
        agent: "coder",
        artefact_id: failure.id,
        data: { attempt: 1, reason },
      });
    }
  });

  test("a wake-up for what was done by hand is gone, another stays", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await queueGrant(bench.board);
    const other = await queueGrant(bench.board);
    await hand(bench, resultOf(goal, claim), epoch + 1);
    const stop = new AbortController();
    for await (const claims of bench.board.followGrants(agentName("coder"), stop.signal)) {
      expect(claims).toEqual([other.claim.id]);
      stop.abort();
    }
  });

  test.each([
    ["a claim that is not there", { claim_id: newClaimId() }, "There is no claim"],
    [
      "an agent without a grant",
      { produced_by_agent: "Another one!" },
      "has no grant for Another one!",
    ],
    ["a Question", { structural_type: "Question" }, "not with a Question"],
    ["an Answer", { structural_type: "Answer" }, "not with a Question or an Answer"],
  ] as const)(
    "a result that names %s is refused, once, and ends nothing",
    async (_, over, reason) => {
      await using bench = await open();
      const { epoch, goal, claim } = await queueGrant(bench.board);
      const result = resultOf(goal, claim, over);
      for (let twice = 0; twice < 2; twice++)
        expect(await hand(bench, result, epoch)).toEqual({
          outcome: "refused",
          reason: expect.stringContaining(reason),
        });
      const [event, ...more] = await events(bench.board, "result_refused");
      expect(event).toMatchObject({
        actor: "hand",
        artefact_id: result.id,
        data: { reason: expect.stringContaining(reason) },
      });
      expect(more).toEqual([]);
      expect(await grantOf(bench, claim.id)).toMatchObject({ state: "queued" });
      expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
    },
  );

  test("a result of another goal than its claim's is refused with the artefact that was to be named", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await queueGrant(bench.board);
    const elsewhere = await postGoal(bench.board);
    const stray = resultOf(goal, claim, {
      source_artefacts: [elsewhere.id],
      goal_id: elsewhere.goal_id,
    });
    expect(await hand(bench, stray, epoch)).toEqual({
      outcome: "refused",
      reason: expect.stringContaining(goal.id),
    });
    const noGoal = resultOf(goal, claim, { goal_id: newGoalId() });
    expect(await hand(bench, noGoal, epoch)).toMatchObject({
      reason: expect.stringContaining("There is no goal"),
    });
    expect(await grantOf(bench, claim.id)).toMatchObject({ state: "queued" });
  });

  test("a second result, and one for a claim or a goal that has ended, are refused", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await queueGrant(bench.board);
    await hand(bench, resultOf(goal, claim), epoch);
    expect(await hand(bench, resultOf(goal, claim), epoch)).toMatchObject({
      outcome: "refused",
      reason: "The grant is done in attempt 1.",
    });
    const rev = (await bench.board.readClaim(claim.id))?.claim.rev ?? 0;
    await bench.board.commitClaim(commitOf(claim.id, epoch, rev, { set: { status: "complete" } }));
    expect(await hand(bench, resultOf(goal, claim), epoch)).toMatchObject({
      reason: `Claim ${claim.id} has ended.`,
    });
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await hand(bench, resultOf(goal, claim), epoch)).toMatchObject({
      reason: `Goal ${goal.goal_id} was ended.`,
    });
    expect(await events(bench.board, "grant_done")).toHaveLength(1);
  });

  test("a review ends with a Review, and with nothing else that succeeds", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await openClaim(bench.board, ["coder"]);
    const grant = { ...queued("coder"), phase: "review" } as const;
    await bench.board.commitClaim(
      commitOf(claim.id, epoch, 0, { set: { bidding: "closed" }, grants: [grant] }),
    );
    expect(await hand(bench, resultOf(goal, claim), epoch)).toMatchObject({
      reason: expect.stringContaining("Review"),
    });
    const review = resultOf(goal, claim, {
      structural_type: "Review",
      type: "Review",
      payload: "{}",
    });
    expect(await hand(bench, review, epoch)).toEqual({ outcome: "adopted" });
    expect(await grantOf(bench, claim.id)).toMatchObject({
      state: "done",
      phase: "review",
      artefact_ids: [review.id],
    });
  });

  test("a Review where no review was granted is refused with the word to bid, whether it approves or not", async () => {
    for (const [phase, word] of [
      ["parallel", "claim"],
      ["exclusive", "exclusive"],
    ] as const) {
      await using bench = await open();
      const { epoch, goal, claim } = await openClaim(bench.board, ["coder"]);
      const grants = [{ ...queued("coder"), phase }];
      await bench.board.commitClaim(
        commitOf(claim.id, epoch, 0, { set: { bidding: "closed" }, grants }),
      );
      for (const payload of ["{}", "Too short"]) {
        const review = resultOf(goal, claim, {
          structural_type: "Review",
          type: "Review",
          payload,
        });
        expect(await hand(bench, review, epoch)).toEqual({
          outcome: "refused",
          reason: `A Review ends a review, and this grant is for a bid of ${word}: bid review on what is to be judged.`,
        });
      }
      expect(await grantOf(bench, claim.id)).toMatchObject({ state: "queued" });
    }
  });

  test("a Review of no grant is refused with the word to bid: no claim would count it", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await openClaim(bench.board, ["coder"]);
    for (const [role, agent] of [
      ["user", ""],
      ["reviewer", "approver"],
    ] as const) {
      const review = {
        structural_type: "Review",
        type: "Review",
        payload: "Too short",
        claim_id: "",
      } as const;
      const written = resultOf(goal, claim, {
        ...review,
        produced_by_role: role,
        produced_by_agent: agent,
      });
      expect(await hand(bench, written, epoch)).toEqual({
        outcome: "refused",
        reason:
          "claim_id: is missing: a Review is the result of a grant, so that its agent must bid review on what is to be judged",
      });
    }
  });

  test("a rework ends with the next version of the same thread and type, or with a Failure", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await openClaim(bench.board, [], { kind: "rework" });
    const set = { status: "pending_exclusive", bidding: "closed" } as const;
    await bench.board.commitClaim(commitOf(claim.id, epoch, 0, { set, grants: [queued("coder")] }));
    const next = { logical_id: goal.logical_id, type: goal.type, version: 2 };
    const another = resultOf(goal, claim);
    expect(await hand(bench, another, epoch)).toEqual({
      outcome: "refused",
      reason: `A rework ends with a Failure, or with the next version of thread ${goal.logical_id}.`,
    });
    const reason = `Thread ${goal.logical_id} is of the Standard type ${goal.type}, and keeps it.`;
    for (const odd of [
      { ...next, type: "Report" },
      { ...next, structural_type: "Review" as const },
      { ...next, structural_type: "Terminal" as const },
    ])
      expect(await hand(bench, resultOf(goal, claim, odd), epoch)).toEqual({
        outcome: "refused",
        reason,
      });
    expect(await hand(bench, resultOf(goal, claim, { ...next, version: 3 }), epoch)).toEqual({
      outcome: "incomplete",
    });
    expect(await grantOf(bench, claim.id)).toMatchObject({ state: "queued" });
    expect(await hand(bench, resultOf(goal, claim, next), epoch)).toEqual({ outcome: "adopted" });
    expect(await grantOf(bench, claim.id)).toMatchObject({ state: "done" });
  });

  test("an artefact that names a claim but no agent is no result", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await queueGrant(bench.board);
    expect(await hand(bench, resultOf(goal, claim, { produced_by_agent: "" }), epoch)).toEqual({
      outcome: "adopted",
    });
    expect(await grantOf(bench, claim.id)).toMatchObject({ state: "queued" });
  });
}
