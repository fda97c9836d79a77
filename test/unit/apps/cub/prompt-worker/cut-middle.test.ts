import { expect, test } from "bun:test";
import fc from "fast-check";
import { cutMiddle } from "../../../../../apps/cub/prompt-worker/cut-middle.ts";

test("a long text loses its middle and says how much", () => {
  expect(cutMiddle("short", 5)).toBe("short");
  expect(cutMiddle("0123456789", 4)).toBe("01\n[… 6 characters are left out here …]\n89");
  expect(cutMiddle("0123456789", 3)).toBe("01\n[… 7 characters are left out here …]\n9");
});

test("what is kept is the beginning and the end, and valid text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 1, max: 100 }),
      (text, max) => {
        const result = cutMiddle(text, max);
        if (text.length <= max) return expect(result).toBe(text);
        expect(result.length).toBeLessThan(max + 60);
        expect(result.isWellFormed()).toBe(true);
      },
    ),
  );
});
