import { describe, expect, test } from "bun:test";
import { baseCommit } from "../../lib/core/base-commit.ts";
import { contextDepth, growContextChain, sortedContext, startContextChain } from "../../lib/core/context-chain.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { CommitHash } from "../../lib/model/ids.ts";
import { derived, nextVersion } from "../support/lineage.ts";

/** Grows the chain to its end over artefacts that lie in memory. */
function chainOf(target: Artefact, board: readonly Artefact[], additional: readonly Artefact[] = []): Artefact[] {
  const latest = (thread: string) =>
    board.filter((one) => one.logical_id === thread).reduce((best, one) => (one.version > best.version ? one : best));
  let chain = startContextChain(
    target,
    additional.map((one) => one.id),
  );
  while (chain.wanted.length > 0) {
    const cited = board.filter((one) => chain.wanted.includes(one.id));
    chain = growContextChain(
      chain,
      cited.map((one) => ({ cited: one, latest: latest(one.logical_id) })),
    );
  }
  return sortedContext(chain);
}

describe("the context chain", () => {
  test("a goal has none", () => {
    const goal = derived([]);
    expect(chainOf(goal, [goal])).toEqual([]);
  });

  test("it holds the sources and their sources, oldest first, and not the target", () => {
    const goal = derived([]);
    const design = derived([goal]);
    const code = derived([design]);
    expect(chainOf(code, [code, design, goal])).toEqual([goal, design]);
  });

  test("a source is replaced by the latest version of its thread, one entry for each thread", () => {
    const goal = derived([]);
    const first = derived([goal]);
    const second = nextVersion(first);
    const test1 = derived([first]);
    const target = derived([first, second, test1]);
    expect(chainOf(target, [goal, first, second, test1, target])).toEqual([goal, second, test1]);
  });

  test("the goal stays in sight of a reworked version, which cites only the version it replaces and the reviews", () => {
    const goal = derived([]);
    const first = derived([goal]);
    const review = derived([first], { structural_type: "Review" });
    const second = nextVersion(first, [review]);
    const third = nextVersion(second);
    expect(chainOf(third, [goal, first, review, second, third])).toEqual([goal, review]);
  });

  test("additional artefacts belong to it like sources", () => {
    const goal = derived([]);
    const note = derived([goal]);
    expect(chainOf(goal, [goal, note], [note])).toEqual([note]);
  });

  test("a source that does not exist is left out", () => {
    const goal = derived([]);
    const target = derived([goal, derived([])]);
    expect(chainOf(target, [goal, target])).toEqual([goal]);
  });

  test("a circle of sources ends", () => {
    const a = derived([]);
    const b = derived([a]);
    const looped = { ...a, source_artefacts: [b.id] };
    expect(chainOf(b, [looped, b])).toEqual([looped]);
  });

  test("it reaches ten steps and no further", () => {
    const line = [derived([])];
    for (let step = 0; step < 14; step++) line.push(derived(line.slice(-1)));
    const target = line.at(-1) ?? derived([]);
    expect(chainOf(target, line)).toEqual(line.slice(-1 - contextDepth, -1));
  });

  test("artefacts of the same millisecond stand with the farther one first", () => {
    const created_at = "2026-01-01T00:00:00.000Z";
    const goal = derived([], { created_at });
    const design = derived([goal], { created_at });
    const target = derived([design], { created_at });
    expect(chainOf(target, [goal, design, target])).toEqual([goal, design]);
  });
});

describe("baseCommit", () => {
  const pinned = CommitHash.parse("a".repeat(40));
  const older = CommitHash.parse("b".repeat(40));
  const newer = CommitHash.parse("c".repeat(40));

  test("the newest commit of target and context wins", () => {
    const goal = derived([], { metadata: { commit: pinned } });
    const first = derived([goal], { metadata: { commit: older } });
    const second = derived([goal], { metadata: { commit: newer } });
    const target = derived([second]);
    expect(baseCommit(target, [goal, second, first])).toBe(newer);
    expect(baseCommit(second, [goal, first])).toBe(newer);
  });

  test("what the goal pins counts only when nobody else names a commit", () => {
    const code = derived([derived([])], { metadata: { commit: older } });
    const goal = derived([], { metadata: { commit: pinned } });
    expect(baseCommit(derived([goal]), [code, goal])).toBe(older);
    expect(baseCommit(goal, [])).toBe(pinned);
    expect(baseCommit(derived([]), [])).toBeUndefined();
  });
});
