import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { layOut, maxLanes, type Placeable } from "../../../../../apps/page/graph/lane-layout.ts";

const made = (id: string, sources: string[], more: Partial<Placeable> = {}): Placeable => ({
  id,
  thread: id,
  sources,
  isMinor: false,
  ...more,
});

/**
 * A release: a commit, a review with feedback, the next version, its approval, three reports, the
 * end.
 */
const release = [
  made("goal", []),
  made("commit-1", ["goal"], { thread: "commit" }),
  made("review-1", ["commit-1"], { isMinor: true }),
  made("commit-2", ["commit-1", "review-1"], { thread: "commit" }),
  made("review-2", ["commit-2"], { isMinor: true }),
  made("tests", ["commit-2", "review-2"]),
  made("licences", ["commit-2", "review-2"]),
  made("secrets", ["commit-2", "review-2"]),
  made("end", ["commit-2", "tests", "licences", "secrets"]),
];

describe("the lanes of a goal's graph", () => {
  test("each step from the goal is a column, and the versions of a thread are in one lane", () => {
    const { cells, bands } = layOut(release);
    const columns = release.map(({ id }) => cells.get(id)?.column);
    expect(columns).toEqual([0, 1, 2, 3, 4, 5, 5, 5, 6]);
    expect(cells.get("commit-2")?.lane).toBe(cells.get("commit-1")?.lane as number);
    expect(bands.find(({ thread }) => thread === "commit")).toMatchObject({
      versions: 2,
      from: { column: 1 },
      to: { column: 3 },
    });
  });

  test("a lane of reviews is used again, and one of results is not", () => {
    const { cells } = layOut(release);
    expect(cells.get("review-2")?.lane).toBe(cells.get("review-1")?.lane as number);
    const results = ["goal", "commit-1", "tests", "licences", "secrets"].map(
      (id) => cells.get(id)?.lane,
    );
    expect(new Set(results).size).toBe(results.length);
  });

  test("a column with more artefacts than lanes has several slots", () => {
    const many = [
      made("goal", []),
      ...Array.from({ length: 100 }, (_, at) => made(`result-${at}`, ["goal"])),
    ];
    const { slots, lanes } = layOut(many);
    expect(lanes).toBe(maxLanes(many.length));
    expect(slots).toEqual([1, Math.ceil(101 / lanes)]);
  });

  test("a source that is not placed, and a cycle, do no harm", () => {
    const { cells } = layOut([made("one", ["other", "missing"]), made("other", ["one"])]);
    expect([cells.get("one")?.column, cells.get("other")?.column]).toEqual([0, 1]);
  });
});

/** Artefacts of which each cites earlier ones, and some are versions of earlier ones. */
const histories = fc
  .array(
    fc.record({
      from: fc.array(fc.nat(1_000), { maxLength: 3 }),
      isVersion: fc.boolean(),
      isMinor: fc.boolean(),
    }),
    {
      minLength: 1,
      maxLength: 250,
    },
  )
  .map((steps) => {
    const placed: Placeable[] = [];
    for (const [at, { from, isVersion, isMinor }] of steps.entries()) {
      const sources = at === 0 ? [] : from.map((number) => `a${number % at}`);
      const before = placed.find(({ id }) => id === sources[0]);
      placed.push(
        made(`a${at}`, sources, {
          isMinor,
          thread: isVersion && before !== undefined ? before.thread : `a${at}`,
        }),
      );
    }
    return placed;
  });

describe("in every history", () => {
  test("no two artefacts are at one place, and each is right of all that it was made from", () => {
    fc.assert(
      fc.property(histories, (placed) => {
        const { cells } = layOut(placed);
        const places = [...cells.values()].map(
          ({ column, slot, lane }) => `${column} ${slot} ${lane}`,
        );
        expect(new Set(places).size).toBe(placed.length);
        for (const { id, sources } of placed)
          for (const source of sources)
            expect(cells.get(id)?.column).toBeGreaterThan(cells.get(source)?.column ?? -1);
      }),
    );
  });

  test("no artefact moves to another cell when another one comes", () => {
    fc.assert(
      fc.property(histories, fc.nat(250), (placed, cut) => {
        const whole = layOut(placed).cells;
        const start = layOut(placed.slice(0, Math.max(1, cut % (placed.length + 1)))).cells;
        for (const [id, cell] of start) expect(whole.get(id)).toEqual(cell);
      }),
    );
  });
});
