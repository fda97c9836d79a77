// No row of agents' words is wider than it is counted: in a terminal it would break, and go on
// without its bar.
import { dlopen } from "bun:ffi";
import { expect, test } from "bun:test";
import { plainLines, visibleWidth } from "../../../../../lib/client/text/plain-text.ts";
import { quotedLines } from "../../../../../lib/client/text/quoted.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";

const library = (() => {
  try {
    return dlopen("libc.so.6", {
      wcwidth: { args: ["i32"], returns: "i32" },
      setlocale: { args: ["i32", "cstring"], returns: "ptr" },
    }).symbols;
  } catch {
    return undefined;
  }
})();
const allCategories = 6;
const surrogates = { first: 0xd800, last: 0xdfff };

test.skipIf(library === undefined)(
  "every character that is printed takes at most the columns that are counted for it",
  () => {
    library?.setlocale(allCategories, Buffer.from("C.UTF-8\0"));
    const narrow: string[] = [];
    for (let point = 0x20; point <= 0x10ffff; point++) {
      if (point >= surrogates.first && point <= surrogates.last) continue;
      const character = String.fromCodePoint(point);
      if (plainLines(character) !== character) continue;
      if ((library?.wcwidth(point) ?? 0) > visibleWidth(character)) narrow.push(point.toString(16));
    }
    expect(narrow).toEqual([]);
  },
);

test.each(["\u{17000}", "\u{1f210}", "\ua960", "☃\ufe0f", "漢", "❄️"])(
  "a row of %s has its bar, and fits",
  (character) => {
    const text = `${character.repeat(38)}  → sett approve 345ba30a`;
    const rows = quotedLines(text, { style: createStyle(false), columns: 80 });
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) {
      expect(row).toStartWith("  │ ");
      expect(visibleWidth(row)).toBeLessThanOrEqual(80);
    }
  },
);
