import { expect, test } from "bun:test";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { postGoal } from "../../../support/blackboard/scene.ts";

export function proofSuite(open: () => Promise<Bench>): void {
  test("events are read as they stand in Redis, in order and page by page", async () => {
    await using bench = await open();
    const { board } = bench;
    const goal = await postGoal(board);
    const [first] = await board.readRawEvents("0", 1);
    expect(first).toMatchObject({ place: expect.stringMatching(/^\d+-\d+$/) });
    const all = await board.readRawEvents("0", 100);
    expect(all.map(({ place }) => place)).toEqual(
      (await board.readEvents("0", 100)).map(({ id }) => id),
    );
    const created = all.find(({ type }) => type === "artefact_created");
    expect(JSON.parse(created?.event ?? "")).toMatchObject({ goal_id: goal.goal_id });
    expect(await board.readRawEvents(all.at(-1)?.place ?? "", 100)).toEqual([]);
  });

  test("the notary that started last alone seals, and only on top of what Redis knows", async () => {
    await using bench = await open();
    const { board } = bench;
    const note = (holder: string, before: number, size: number) =>
      board.noteCheckpoint({
        ...{ holder, before },
        sealed: { size, checkpoint: `note ${size}\n`, place: `${size}-0` },
      });
    expect(await note("one", 0, 5)).toEqual({ outcome: "fenced" });
    expect(await board.takeProof("one")).toBeUndefined();
    expect(await board.readCheckpoint()).toBeUndefined();
    expect(await board.readSealedPlace()).toBeUndefined();
    expect(await note("one", 0, 5)).toEqual({ outcome: "noted" });
    expect(await board.readCheckpoint()).toBe("note 5\n");
    expect(await board.readSealedPlace()).toBe("5-0");
    // The answer to a call may be lost, so that it is made again.
    expect(await note("one", 0, 5)).toEqual({ outcome: "noted" });
    expect(await note("one", 4, 9)).toEqual({ outcome: "moved" });
    expect(await board.takeProof("two")).toEqual({ size: 5, checkpoint: "note 5\n" });
    expect(await note("one", 5, 9)).toEqual({ outcome: "fenced" });
    expect(await note("two", 5, 2_000_000)).toEqual({ outcome: "noted" });
    expect(await board.takeProof("two")).toEqual({
      size: 2_000_000,
      checkpoint: "note 2000000\n",
    });
  });

  test("a log that a person has given up is kept by its checkpoint, and none is known any more", async () => {
    await using bench = await open();
    const { board } = bench;
    expect(await board.readFormerProof()).toBeUndefined();
    await board.takeProof("one");
    const sealed = { size: 5, checkpoint: "demo\n5\n", place: "5-0" };
    await board.noteCheckpoint({ holder: "one", before: 0, sealed });
    const at = "2026-11-30T10:00:00.000Z";
    const former = { checkpoint: sealed.checkpoint, by: "person:Ada", reason: "A disk", at };
    await board.leaveProof(former);
    expect(await board.readFormerProof()).toEqual(former);
    expect(await board.readCheckpoint()).toBeUndefined();
    expect(await board.readSealedPlace()).toBeUndefined();
    expect(await board.takeProof("two")).toBeUndefined();
    await board.leaveProof(former);
    expect(await board.noteCheckpoint({ holder: "two", before: 0, sealed })).toEqual({
      outcome: "noted",
    });
  });

  test("up to where and when others have seen the log is noted, and taken back for a new log", async () => {
    await using bench = await open();
    const { board } = bench;
    expect(await board.readAnchored()).toBeUndefined();
    const seen = { size: 40, at: "2026-11-30T10:00:00.000Z" };
    await board.noteAnchored(seen);
    expect(await board.readAnchored()).toEqual(seen);
    await board.noteAnchored(undefined);
    expect(await board.readAnchored()).toBeUndefined();
  });
}
