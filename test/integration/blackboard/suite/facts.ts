import { expect, test } from "bun:test";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { acquireLeaderLease } from "../../../support/blackboard/scene.ts";

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
}
