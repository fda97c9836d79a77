import { expect, test } from "bun:test";
import { beginningOf, changesOf, rowsOf } from "../../../../../apps/page/text/diff-lines.ts";

const added = (count: number, text = "x") => [
  "@@ -0,0 +1 @@",
  ...Array.from({ length: count }, () => `+${text}`),
];

test("a file of few lines is shown whole", () => {
  expect(beginningOf(added(3))).toEqual({
    text: "@@ -0,0 +1 @@\n+x\n+x\n+x",
    length: 19,
    isAll: true,
    isCut: false,
  });
});

test("of many lines, and of wide ones, the beginning is shown", () => {
  const many = beginningOf(added(60_000));
  expect([many.isAll, many.text.split("\n").length]).toEqual([false, 200]);
  const wide = beginningOf(added(60, "x".repeat(1_000)));
  expect([wide.isAll, wide.text.length]).toEqual([false, expect.any(Number)]);
  expect(wide.text.length).toBeLessThanOrEqual(24_100);
});

test("a line that is cut says how much is missing", () => {
  const { text, isAll, isCut } = beginningOf(added(1, "x".repeat(5_000)));
  expect(text).toEndWith("x… (3001 more characters)");
  expect({ isAll, isCut }).toEqual({ isAll: true, isCut: true });
});

test("a line that gains a carriage return does not look like the one before", () => {
  expect(beginningOf(["@@ -1 +1 @@", "-a", "+a\r"]).text).toBe("@@ -1 +1 @@\n-a\n+a‹CR›");
  expect(beginningOf(["@@ -1 +1 @@", "-a\r", "+b\r"]).text).toBe("@@ -1 +1 @@\n-a\n+b");
  expect(rowsOf(["@@ -1 +1 @@", "-a", "+a\u202e"]).map(({ text }) => text)).toEqual([
    "@@ -1 +1 @@",
    "a",
    "a‹RLO›",
  ]);
});

test("each row has the number of its line in its own file", () => {
  const lines = [
    "@@ -5,3 +7,3 @@ head",
    " same",
    "-old",
    "+new",
    "+more",
    " end",
    "\\ No newline at end of file",
  ];
  expect(rowsOf(lines)).toEqual([
    { sign: "@", text: "@@ -5,3 +7,3 @@ head" },
    { sign: " ", number: 7, text: "same" },
    { sign: "-", number: 6, text: "old" },
    { sign: "+", number: 8, text: "new" },
    { sign: "+", number: 9, text: "more" },
    { sign: " ", number: 10, text: "end" },
    { sign: "\\", text: " No newline at end of file" },
  ]);
});

test("a wide line is several rows, with one number", () => {
  const rows = rowsOf(["@@ -0,0 +1 @@", `+${"x".repeat(500)}`]).slice(1);
  expect(rows.map(({ number, text }) => [number, text.length])).toEqual([
    [1, 240],
    [undefined, 240],
    [undefined, 20],
  ]);
});

test("lines are counted by their sign", () => {
  expect(
    changesOf(["@@ -1 +1,2 @@", "-a", "+b", "+c", " d", "\\ No newline at end of file"]),
  ).toEqual({ added: 2, removed: 1 });
});
