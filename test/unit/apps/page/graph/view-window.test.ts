import { expect, test } from "bun:test";
import { readingOf } from "../../../../../apps/page/graph/view-window.ts";
import { card, step } from "../../../../../apps/page/graph/wrap.ts";

const window = { width: 800, height: 442 };
const column = (rows: number) =>
  Array.from({ length: rows }, (_, row) => ({ x: 0, y: row * step.y }));
const boundsOfRows = (rows: number) => ({
  ...{ x: 0, y: 0, width: card.width },
  height: (rows - 1) * step.y + card.height,
});
const seen = (y: number, place: { y: number; zoom: number }) => {
  const [top, bottom] = [y, y + card.height].map((at) => at * place.zoom + place.y);
  return (top ?? -1) >= 0 && (bottom ?? Number.POSITIVE_INFINITY) <= window.height;
};

test("a graph that is too large to be read as a whole shows its last lines", () => {
  const place = readingOf(boundsOfRows(14), window, column(14));
  expect([seen(13 * step.y, place), seen(0, place)]).toEqual([true, false]);
});

test("the newest card is in view also where it is above the last lines", () => {
  const items = [...column(14), { x: step.x, y: 0 }];
  const bounds = { ...boundsOfRows(14), width: step.x + card.width };
  expect(seen(0, readingOf(bounds, window, items))).toBe(true);
});
