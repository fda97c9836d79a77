import { expect, test } from "bun:test";
import fc from "fast-check";
import { piecesOf } from "../../../../../lib/blackboard/records/pieces.ts";

const pieces = (sizes: readonly number[], max: { bytes: number; items: number }) => [
  ...piecesOf(sizes, (size) => size, max),
];

test("a piece is full by its bytes or by its items, and what is too large is a piece of its own", () => {
  expect(pieces([4, 4, 4, 20, 1, 1, 1, 1], { bytes: 10, items: 3 })).toEqual([
    [4, 4],
    [4],
    [20],
    [1, 1, 1],
    [1],
  ]);
  expect(pieces([], { bytes: 10, items: 3 })).toEqual([]);
});

test("every item comes once, in its order, and no piece with more than one item exceeds a maximum", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 30 })),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 5 }),
      (sizes, bytes, items) => {
        const made = pieces(sizes, { bytes, items });
        expect(made.flat()).toEqual(sizes);
        for (const piece of made) {
          expect(piece.length).toBeWithin(1, items + 1);
          if (piece.length > 1)
            expect(piece.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bytes);
        }
      },
    ),
  );
});
