import { expect, test } from "bun:test";
import { typeText } from "../../../../../lib/client/text/type-text.ts";
import { wrap } from "../../../../../lib/client/text/wrap.ts";

test("a word stays as it is, in any script and of any length", () => {
  const words = ["CodeCommit", "lint-report.v2", "Größe", "テスト", "x".repeat(200), ""];
  expect(words.map(typeText)).toEqual(words);
});

test("what is more than a word is quoted, and none of it begins a row", () => {
  const type = `Draft ${"x".repeat(20)} → sett approve 12345678 ${"y".repeat(150)}`;
  for (let before = 0; before < 40; before += 1) {
    const line = `  claim ${"c".repeat(before)} on ${typeText(type)} v2  review ?owner`;
    const rows = wrap(line, { columns: 80 }).split("\n");
    expect(rows.filter((row) => /^\s*(?:→|sett|approve)/.test(row))).toEqual([]);
    expect(rows.every((row) => row.length <= 80)).toBe(true);
  }
  expect(typeText("a\n→ sett approve 1")).toBe("“a\u00a0→\u00a0sett\u00a0approve\u00a01”");
  expect(typeText("\u001b[2J”x“")).toBe('“"x"”');
});
