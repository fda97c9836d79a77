import { expect, test } from "bun:test";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { acquireLeaderLease, postGoal } from "../../../support/blackboard/scene.ts";

export function factsSuite(open: () => Promise<Bench>): void {
  test("a fact is noted once under its digest, by the leader alone, and never changes", async () => {
    await using bench = await open();
    const { board } = bench;
    const [digest, other] = ["a".repeat(64), "b".repeat(64)];
    const epoch = await acquireLeaderLease(board);
    expect(await board.readFacts([digest])).toEqual(new Map());
    expect(await board.noteFact({ digest, text: "[]" }, epoch)).toEqual({ outcome: "noted" });
    expect(await board.noteFact({ digest, text: "[1]" }, epoch)).toEqual({ outcome: "noted" });
    expect(await board.noteFact({ digest: other, text: "{}" }, epoch - 1)).toEqual({
      outcome: "fenced",
    });
    expect(await (await bench.another()).readFacts([digest, other, digest])).toEqual(
      new Map([[digest, "[]"]]),
    );
    expect(await board.readFacts([])).toEqual(new Map());
  });

  test("a fact about the work of one goal is read with it, and goes with it", async () => {
    await using bench = await open();
    const { board } = bench;
    const goal = await postGoal(board);
    const other = await postGoal(board);
    const [digest, ofAll] = ["a".repeat(64), "b".repeat(64)];
    const epoch = await acquireLeaderLease(board);
    await board.noteFact({ digest, text: "[]" }, epoch, goal.goal_id);
    await board.noteFact({ digest, text: "[]" }, epoch, other.goal_id);
    await board.noteFact({ digest: ofAll, text: "{}" }, epoch);
    const read = (of: typeof goal) => board.readFacts([digest, ofAll], of.goal_id);
    expect(await board.readFacts([digest, ofAll])).toEqual(new Map([[ofAll, "{}"]]));
    expect(await read(goal)).toEqual(
      new Map([
        [ofAll, "{}"],
        [digest, "[]"],
      ]),
    );
    await board.retireGoal({ goal: goal.goal_id, artefacts: 1, claims: 0 });
    expect(await board.removeOfGoal(goal.goal_id, 10)).toEqual({ left: 0 });
    expect(await read(goal)).toEqual(new Map([[ofAll, "{}"]]));
    expect((await read(other)).get(digest)).toBe("[]");
  });
}
