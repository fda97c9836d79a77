// Shows what is left of an artefact whose content a person has erased.
import { expect, test } from "bun:test";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  at,
  commitOf,
  events,
  openClaim,
  postGoal,
  resultOf,
  user,
} from "../../../support/blackboard/scene.ts";
import { newArtefactId, sampleArtefact } from "../../../support/records/sample.ts";

function orderFor({ id, goal_id: goal }: Pick<Artefact, "id" | "goal_id">) {
  const erased = { by: user, at, reason: "a request", sha256: "0".repeat(64) };
  const { reason, sha256 } = erased;
  const event = { type: "artefact_erased", goal_id: goal, artefact_id: id } as const;
  const metadata = { summary: "erased", erased };
  const erasure = { id, metadata, event: { ...event, data: { reason, sha256 } } };
  return { goal, erasures: [erasure], actor: user };
}

export function eraseSuite(open: () => Promise<Bench>): void {
  test("an artefact whose content was erased keeps its place, says why, and is not overwritten", async () => {
    await using bench = await open();
    const { board } = bench;
    const goal = await postGoal(board);
    const commit = "a".repeat(40) as never;
    const large = { payload: "name ".repeat(2_000), metadata: { commit, note: "a name" } };
    const [one, other] = [large, { payload: "kept" }].map((content) =>
      sampleArtefact({ goal_id: goal.goal_id, ...content }),
    );
    if (one === undefined || other === undefined) throw new Error("There are two.");
    await board.createArtefact(one, user);
    await board.createArtefact(other, user);
    const order = orderFor(one);
    expect(await board.eraseArtefacts(order)).toEqual({ outcome: "erased", count: 1 });
    expect(await board.eraseArtefacts(order)).toEqual({ outcome: "erased", count: 0 });
    const [erasure] = order.erasures;
    const left = { ...one, payload: "", metadata: erasure?.metadata ?? {} };
    expect(await board.readArtefact(one.id)).toEqual(left);
    const { payload: _, ...head } = left;
    expect(await board.readHeads([one.id])).toEqual([{ head, payloadBytes: 0, beginning: "" }]);
    expect(await board.findOverwritten([one.id, other.id])).toEqual([]);
    expect(await board.readRecord(one.id)).toBeUndefined();
    expect(await board.readRecord(other.id)).toBeDefined();
    expect(await board.listCommits()).toEqual([]);
    expect(await board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id, one.id, other.id]);
    expect(await events(board, "artefact_erased")).toMatchObject([
      { actor: user, goal_id: goal.goal_id, artefact_id: one.id, data: erasure?.event.data },
    ]);
  });

  test("an approval that was erased approves all the same, and another review does not", async () => {
    await using bench = await open();
    const { board } = bench;
    const goal = await postGoal(board);
    const left = [];
    for (const payload of ["{}", '{"reason":"a name"}']) {
      const over = { goal_id: goal.goal_id, structural_type: "Review", type: "Review" } as const;
      const review = sampleArtefact({ ...over, payload });
      await board.createArtefact(review, user);
      await board.eraseArtefacts(orderFor(review));
      left.push((await board.readArtefact(review.id))?.payload);
    }
    expect(left).toEqual(["{}", ""]);
  });

  test("nothing is erased while work on its goal goes on, or while its goal is moved into a file", async () => {
    await using bench = await open();
    const { board } = bench;
    const { epoch, goal, claim } = await openClaim(board, []);
    const result = resultOf(goal, claim);
    await board.createArtefact(result, user);
    expect(await board.eraseArtefacts(orderFor(result))).toEqual({ outcome: "open" });
    await board.commitClaim(
      commitOf(claim.id, epoch, 0, { set: { status: "complete", bidding: "closed" } }),
    );
    const counts = { goal: goal.goal_id, artefacts: 2, claims: 1 };
    expect(await board.retireGoal(counts)).toEqual({ outcome: "retired" });
    expect(await board.eraseArtefacts(orderFor(result))).toEqual({ outcome: "retired" });
    await board.reinstateGoal(goal.goal_id);
    expect(await board.readArtefact(result.id)).toEqual(result);
    expect(await board.eraseArtefacts(orderFor(result))).toEqual({ outcome: "erased", count: 1 });
    const unknown = { id: newArtefactId(), goal_id: goal.goal_id };
    expect(await board.eraseArtefacts(orderFor(unknown))).toEqual({ outcome: "erased", count: 0 });
  });
}
