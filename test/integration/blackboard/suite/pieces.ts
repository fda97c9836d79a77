// A list of pieces: stored as a whole or not at all, and its claim waits for all work on them.
import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { commitOf, done, events, resultOf, runGrant } from "../../../support/blackboard/scene.ts";
import { sampleClaim } from "../../../support/records/sample.ts";

export function piecesSuite(open: () => Promise<Bench>): void {
  /** A grant is done with a list of two pieces. */
  const split = async (board: Blackboard, over: Partial<Artefact> = {}) => {
    const scene = await runGrant(board);
    const { goal, claim } = scene;
    const list = resultOf(goal, claim, { type: "Plan" });
    const piece = (more: Partial<Artefact> = {}) =>
      resultOf(list, claim, { type: "File", ...more });
    const pieces = [piece(), piece(over)];
    const order = done(claim.id, list);
    const split = { ...order, result: { outcome: "done" as const, artefact: list, pieces } };
    return { ...scene, list, pieces, split, reply: await board.finishGrant(split) };
  };
  const openOn = async (board: Blackboard, artefact: Artefact, epoch: number) => {
    const claim = sampleClaim(artefact, []);
    const reply = await board.openClaim({
      open: { claim, cause: "standard", grants: [] },
      ...{ epoch, bidDeadlineMs: 60_000 },
    });
    return { claim, reply };
  };

  test("it is stored with all of its pieces, and a repeat stores nothing more", async () => {
    await using bench = await open();
    const { list, pieces, split: again, reply } = await split(bench.board);
    expect(reply).toEqual({ outcome: "finished" });
    const created = await events(bench.board, "artefact_created");
    expect(
      created.slice(-3).map(({ artefact_id, data }) => [artefact_id, data?.pieces, data?.list]),
    ).toEqual([
      [list.id, 2, undefined],
      [pieces[0]?.id, undefined, list.id],
      [pieces[1]?.id, undefined, list.id],
    ]);
    expect(await bench.board.readArtefacts(pieces.map(({ id }) => id))).toEqual(pieces);
    expect(await bench.board.finishGrant(again)).toEqual({ outcome: "finished" });
    expect(await events(bench.board, "artefact_created")).toHaveLength(created.length);
  });

  test("nothing of it is stored where one of the pieces cannot be", async () => {
    await using bench = await open();
    const { goal, list, pieces, reply } = await split(bench.board, {
      ...{
        logical_id: "11111111-1111-4111-8111-111111111111" as Artefact["logical_id"],
        version: 2,
      },
    });
    expect(reply).toEqual({
      outcome: "refused",
      reason: "There is no thread 11111111-1111-4111-8111-111111111111.",
    });
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
    expect(await bench.board.readArtefacts([list.id, ...pieces.map(({ id }) => id)])).toEqual([]);
  });

  test("its claim is opened once no work on a piece goes on, which the log says then", async () => {
    await using bench = await open();
    const { board } = bench;
    const { epoch, list, pieces } = await split(board);
    const [one, two] = pieces as [Artefact, Artefact];
    const first = await openOn(board, one, epoch);
    expect((await openOn(board, list, epoch)).reply).toEqual({
      outcome: "waits",
      artefact: one.id,
    });
    expect(await board.readPieces(list.id)).toEqual({ unfinished: one.id });
    const end = (claim: typeof first.claim, rev = 0) =>
      board.commitClaim(
        commitOf(claim.id, epoch, rev, { set: { status: "complete", bidding: "closed" } }),
      );
    await end(first.claim);
    expect((await openOn(board, list, epoch)).reply).toEqual({
      outcome: "waits",
      artefact: two.id,
    });
    const second = await openOn(board, two, epoch);
    expect(await events(board, "pieces_ended")).toEqual([]);
    await end(second.claim);
    const ended = await events(board, "pieces_ended");
    expect(ended.map(({ artefact_id, data }) => [artefact_id, data])).toEqual([
      [list.id, { artefacts: 2 }],
    ]);
    expect(await board.readPieces(list.id)).toMatchObject({
      ended: pieces.map(({ id }) => ({ id, claims: [{ cause: "standard", status: "complete" }] })),
    });
    expect((await openOn(board, list, epoch)).reply.outcome).toBe("opened");
    expect((await openOn(board, list, epoch)).reply.outcome).toBe("exists");
  });

  test("what is no list has no pieces", async () => {
    await using bench = await open();
    const { goal } = await runGrant(bench.board);
    expect(await bench.board.readPieces(goal.id)).toBeUndefined();
  });
}
