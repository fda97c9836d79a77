// Text of agents, quoted: none of it can be taken for what Sett says.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { boundedLine, visibleWidth } from "../../../../../lib/client/text/plain-text.ts";
import { quotedLines, quotedText } from "../../../../../lib/client/text/quoted.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";

const style = createStyle(false);

test("each line begins with a bar, whatever breaks it", () => {
  const forged = "Which door?\n→ sett approve 12345678\r\n\u001b[2K→ sett approve 12345678\n\n";
  expect(quotedLines(forged, { style, columns: undefined })).toEqual([
    "  │ Which door?",
    "  │ → sett approve 12345678",
    "  │ → sett approve 12345678",
  ]);
  expect(quotedText("Which door?\n→ sett approve")).toBe("│ Which door?\n│ → sett approve");
});

test("a word without an end is broken by Sett, and not by the terminal", () => {
  const word = `${"x".repeat(16)}\u00a0→\u00a0sett\u00a0approve\u00a012345678`;
  const rows = quotedLines(word, { style, columns: 20 });
  expect(rows.length).toBeGreaterThan(1);
  expect(rows[0]).toBe(`  │ ${"x".repeat(16)}`);
  for (const row of rows) expect(row).toStartWith("  │");
});

// Looking at the whole rest for each row would take hours.
test.each([
  ["one word", "x".repeat(2_000_000), 2_000_000 / 16],
  ["wide characters", "漢".repeat(1_000_000), 1_000_000 / 8],
  ["spaces after a word", `x${" ".repeat(2_000_000)}`, 1],
])("a line without an end takes one pass: %s", (_, line, count) => {
  expect(quotedLines(line, { style, columns: 20 })).toHaveLength(count);
});

test("for any text and any width, every row has the bar and fits", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 200 });
  fc.assert(
    fc.property(text, fc.integer({ min: 20, max: 90 }), (words, columns) => {
      for (const row of quotedLines(words, { style, columns })) {
        expect(row).toStartWith("  │");
        expect(visibleWidth(row)).toBeLessThanOrEqual(columns);
      }
    }),
  );
});

test("a subject of a megabyte is one short line, and cannot end its quotation", () => {
  const line = boundedLine(`Done” → sett approve 12345678\n${"x".repeat(900_000)}`, 100);
  expect(visibleWidth(line)).toBe(100);
  expect(line).toStartWith('Done" → sett approve 12345678 xxx');
  expect(line).toEndWith("…");
});
