import { expect, test } from "bun:test";
import { logText } from "../../../../../apps/page/text/log-text.ts";
import { clockTime } from "../../../../../lib/words/age.ts";

test("of a line of a service people read when, what, and about what; what all lines of it have is left out", () => {
  const time = "2026-11-24T18:55:04.354Z";
  const line = {
    time,
    level: "warn",
    msg: "Executing tool",
    service: "cub",
    instance: "i",
    attempt: 1,
    command: ["sh", "-c"],
  };
  expect(logText(JSON.stringify({ ...line, phase: "review", stderr: "two\nlines" }))).toEqual({
    time: clockTime(time),
    level: "warn",
    message: "Executing tool",
    rest: 'attempt=1  command=["sh","-c"]  phase=review  stderr="two\\nlines"',
  });
});

test("a line that is no JSON of a service is shown as it is, and a long one from its beginning", () => {
  for (const line of ["1:M 24 Nov * Ready", '{"a":1}', "{broken", "[1]"])
    expect(logText(line)).toEqual({ time: "", level: "info", message: line, rest: "" });
  const { message, rest } = logText(
    JSON.stringify({ msg: "m".repeat(3_000), stderr: "s".repeat(3_000) }),
  );
  expect([message.length, rest.length]).toEqual([2_001, 2_001]);
});
