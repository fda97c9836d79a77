import { expect, test } from "bun:test";
import fc from "fast-check";
import { card, type Spot, wrapOf } from "../../../../../apps/page/graph/wrap.ts";

const window = { width: 1_040, height: 600 };
const chain = (length: number, lanes = 1): Spot[] =>
  Array.from({ length }, (_, slot) => ({ slot, lane: slot % lanes }));

test("what fits is one line, and a long chain is broken into lines that can be read", () => {
  expect(wrapOf(chain(4), window, undefined).perRow).toBe(4);
  const long = wrapOf(chain(20), window, undefined);
  expect(long.perRow).toBe(4);
  expect(long.pointOf({ slot: 5, lane: 0 })).toMatchObject({ x: 240, row: 1 });
});

test("twenty artefacts in four lanes keep letters of 11 pixels in a window of 1440 by 900", () => {
  const { size } = wrapOf(chain(20, 4), window, undefined);
  const zoom = Math.min(1, window.width / size.width, window.height / size.height);
  // Below this no card is drawn: graph/view-window.ts.
  expect(zoom).toBeGreaterThanOrEqual(0.5);
});

test("a graph that grows keeps its lines as long as they are good", () => {
  const before = wrapOf(chain(20), window, undefined).perRow;
  expect(wrapOf(chain(23), window, before).perRow).toBe(before);
});

test("without a window nothing is broken", () => {
  expect(wrapOf(chain(40), undefined, undefined).perRow).toBe(40);
});

test("no two artefacts are drawn over each other, and all are within the size", () => {
  const spot = fc.record({ slot: fc.nat(60), lane: fc.nat(12) });
  fc.assert(
    fc.property(
      fc.uniqueArray(spot, { minLength: 1, selector: (one) => 100 * one.slot + one.lane }),
      (spots) => {
        const wrap = wrapOf(spots, window, undefined);
        const points = spots.map((one) => wrap.pointOf(one));
        expect(new Set(points.map(({ x, y }) => `${x} ${y}`)).size).toBe(spots.length);
        for (const { x, y } of points) {
          expect(x + card.width).toBeLessThanOrEqual(wrap.size.width);
          expect(y + card.height).toBeLessThanOrEqual(wrap.size.height);
        }
      },
    ),
  );
});
