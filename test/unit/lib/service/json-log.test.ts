import { expect, test } from "bun:test";
import { createJsonLog } from "../../../../lib/service/json-log.ts";

const now = () => new Date("2026-11-22T10:00:00.000Z");

function lineOf(fields: Record<string, unknown>): string {
  const lines: string[] = [];
  createJsonLog((line) => lines.push(line), now).info("Said something", fields);
  return lines[0] ?? "";
}

test("a line is one JSON object, and what was logged is read back from it", () => {
  expect(JSON.parse(lineOf({ claim_id: "c", text: "a\nb\u001b[31m\u009b31m\u202e" }))).toEqual({
    time: "2026-11-22T10:00:00.000Z",
    level: "info",
    msg: "Said something",
    claim_id: "c",
    text: "a\nb\u001b[31m\u009b31m\u202e",
  });
});

test("no control character reaches the reader of a line", () => {
  const line = lineOf({
    text: "\u0000\u0007\u001b]0;title\u0007\u007f\u0085\u009b2J\u2028\u202e\u2066",
  });
  expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
});

test("a long text is cut, with a mark that says how much is missing", () => {
  const { text } = JSON.parse(lineOf({ text: "x".repeat(5_000) }));
  expect(text).toBe(`${"x".repeat(2_000)}… (3000 more characters)`);
});
