import { expect, test } from "bun:test";
import fc from "fast-check";
import { fitLengths, minExcerpt } from "../../../../../apps/cub/prompt-worker/fit-lengths.ts";

const one = (length: number, isProtected = false) => ({ length, isProtected });

test("what fits stays whole", () => {
  expect(fitLengths([one(10), one(20, true), one(30)], 60)).toEqual([10, 20, 30]);
});

test("the longest lose first, down to one common length", () => {
  expect(fitLengths([one(10_000), one(600), one(3_000), one(1_000, true)], 6_000)).toEqual([
    2_200, 600, 2_200, 1_000,
  ]);
});

test("where the common length would be of no use, the oldest are left out", () => {
  expect(fitLengths([one(5_000), one(5_000), one(5_000)], 1_200)).toEqual([0, 600, 600]);
  expect(fitLengths([one(5_000), one(2_000, true), one(5_000)], 1_200)).toEqual([0, 2_000, 0]);
});

const texts = fc.array(fc.record({ length: fc.nat(20_000), isProtected: fc.boolean() }), {
  maxLength: 12,
});

test("protected texts are whole, the others have room together, and none is shortened without need", () => {
  fc.assert(
    fc.property(texts, fc.nat(60_000), (all, max) => {
      const lengths = fitLengths(all, max);
      const sum = lengths.reduce((total, length) => total + length, 0);
      const room =
        max - all.reduce((total, text) => total + (text.isProtected ? text.length : 0), 0);
      const others = all
        .map((text, index) => ({ ...text, shown: lengths[index] ?? -1 }))
        .filter((text) => !text.isProtected);
      for (const [index, text] of all.entries()) {
        const shown = lengths[index] ?? -1;
        if (text.isProtected) expect(shown).toBe(text.length);
        expect(shown).toBeGreaterThanOrEqual(0);
        expect(shown).toBeLessThanOrEqual(text.length);
      }
      const shownOthers = others.reduce((total, text) => total + text.shown, 0);
      expect(shownOthers).toBeLessThanOrEqual(Math.max(0, room));
      if (all.reduce((total, text) => total + text.length, 0) <= max)
        expect(lengths).toEqual(all.map((text) => text.length));
      // What is cut keeps at least an excerpt, and no other is shown with more than it.
      const cut = others.filter((text) => text.shown > 0 && text.shown < text.length);
      for (const text of cut) {
        expect(text.shown).toBeGreaterThanOrEqual(minExcerpt);
        for (const other of others) expect(other.shown).toBeLessThanOrEqual(text.shown);
      }
      // The room is used: where something was cut, less than one character a text is free.
      if (cut.length > 0) expect(max - sum).toBeLessThan(others.length + 1);
      // Left out are the oldest.
      const firstKept = others.findIndex((text) => text.shown > 0);
      if (firstKept !== -1)
        for (const text of others.slice(firstKept))
          expect(text.shown > 0 || text.length === 0).toBe(true);
    }),
  );
});
