import { expect, test } from "bun:test";
import type { ArtefactNode } from "../../../../../apps/page/data/goal-graph.ts";
import {
  drawingOf,
  type Item,
  itemAt,
  itemsIn,
  neighbour,
} from "../../../../../apps/page/graph/geometry.ts";
import type { Pending } from "../../../../../apps/page/graph/pending.ts";
import { card } from "../../../../../apps/page/graph/wrap.ts";

const made = (id: string, sources: string[] = [], version = 1, thread = id) => ({
  ...{ kind: "artefact", id, logical_id: thread, version, structural_type: "Standard" },
  ...{ source_artefacts: sources, claims: [] },
});

const pending = (id: string, sources: string[], what: Pending["what"] = "works") => ({
  ...{ id, claim: "c", target: sources[0] ?? "", thread: "", sources, agent: "tester", what },
  ...{ phase: "exclusive", attempt: 1, since: "2026-11-28T10:00:00.000Z" },
});

/** A goal, two versions of one result, and work on the second. */
const nodes = [
  made("goal"),
  made("one", ["goal"], 1, "thread"),
  made("two", ["goal", "one"], 2, "thread"),
  made("side", ["goal"]),
] as unknown as ArtefactNode[];
const work = [pending("work", ["two"])] as Pending[];

const itemOf = (items: readonly Item[], id: string) => {
  const item = items.find((one) => one.id === id);
  if (item === undefined) throw new Error(`${id} is not drawn.`);
  return item;
};

test("each artefact and what is waited for has a place of its own, behind what it was made from", () => {
  const { items, lines, bounds } = drawingOf(nodes, work);
  expect(items.map(({ id }) => id).toSorted()).toEqual(["goal", "one", "side", "two", "work"]);
  expect(new Set(items.map(({ x, y }) => `${x} ${y}`)).size).toBe(items.length);
  for (const { from, to } of lines) expect(from.x).toBeLessThan(to.x);
  for (const { x, y } of items) {
    expect(x + card.width).toBeLessThanOrEqual(bounds.width);
    expect(y + card.height).toBeLessThanOrEqual(bounds.height);
  }
});

test("a line leads from each source once, and that between versions is marked", () => {
  const { lines } = drawingOf(nodes, work);
  const shown = lines.map(({ from, to, isVersion }) => [from.id, to.id, isVersion]);
  expect(shown.toSorted()).toEqual([
    ["goal", "one", false],
    ["goal", "side", false],
    ["goal", "two", false],
    ["one", "two", true],
    ["two", "work", false],
  ]);
});

test("versions lie in one band, and stacked only the newest of them is drawn", () => {
  const { bands } = drawingOf(nodes, work);
  expect(bands.map(({ versions }) => versions)).toEqual([2]);
  const { items, byId, lines } = drawingOf(nodes, work, { isStacked: true });
  expect(items.map(({ id }) => id).toSorted()).toEqual(["goal", "side", "two", "work"]);
  expect(byId.get("thread")).toBe(itemOf(items, "two"));
  expect(lines.some(({ isVersion }) => isVersion)).toBe(false);
});

test("what has not changed is the same item as in the drawing before", () => {
  const before = drawingOf(nodes, work);
  const again = drawingOf(nodes, [pending("work", ["two"], "queued")] as Pending[], {}, before);
  expect(itemOf(again.items, "two")).toBe(itemOf(before.items, "two"));
  expect(itemOf(again.items, "work")).not.toBe(itemOf(before.items, "work"));
});

test("a part of the drawing has the items that reach into it, and a point the one that covers it", () => {
  const drawing = drawingOf(nodes, work);
  const goal = itemOf(drawing.items, "goal");
  const { x, y } = goal;
  expect(itemsIn(drawing, { x: x + card.width - 1, y, width: 2, height: 1 })).toContain(goal);
  expect(itemsIn(drawing, { ...drawing.bounds })).toHaveLength(drawing.items.length);
  expect(itemAt(drawing, { x: x + card.width, y: y + card.height })).toBe(goal);
  expect(itemAt(drawing, { x: x + card.width + 5, y })).toBeUndefined();
});

test("arrow keys lead along a lane and to the nearest one, and nowhere at the edge", () => {
  const drawing = drawingOf(nodes, work);
  const goal = itemOf(drawing.items, "goal");
  const right = neighbour(drawing, goal, "right");
  expect(right?.slot).toBeGreaterThan(goal.slot);
  expect(right && neighbour(drawing, right, "left")?.slot).toBeLessThan(right?.slot ?? 0);
  expect(neighbour(drawing, goal, "left")).toBeUndefined();
  const side = itemOf(drawing.items, "side");
  const lane = side.lane;
  const [up, down] = (["up", "down"] as const).map((way) => neighbour(drawing, side, way)?.lane);
  expect([up ?? -1, down ?? 99].every((other) => other !== lane)).toBe(true);
});
