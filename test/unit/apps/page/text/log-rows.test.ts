import { describe, expect, test } from "bun:test";
import { LogRows } from "../../../../../apps/page/text/log-rows.ts";

const claim = "5c9bbb09-0000-4000-8000-000000000000";
const line = (text: string, more: object = {}) =>
  JSON.stringify({
    ...{ msg: "Output", time: "2026-11-27T10:00:00.000Z", agent: "coder", goal_id: "goal" },
    ...{ claim_id: claim, attempt: 1, stream: "stderr", text, ...more },
  });
const rowsOf = (lines: readonly string[], of?: string) => {
  const rows = new LogRows(of);
  for (const each of lines) rows.add(each);
  return rows.rows().map(({ message }) => message);
};

describe("what a command prints, in rows", () => {
  test("a row that comes in pieces is one row, and both streams keep their own", () => {
    const lines = [line("buil"), line("out\n", { stream: "stdout" }), line("ding\nlinking")];
    expect(rowsOf(lines, claim)).toEqual(["building", "out", "linking"]);
  });

  test("of a progress bar the last writing is shown, and no colours", () => {
    const lines = [line("10 %\r"), line("50 %\r"), line("\u001b[32m100 %\u001b[0m\n")];
    expect(rowsOf(lines.slice(0, 2), claim)).toEqual(["50 %"]);
    expect(rowsOf(lines, claim)).toEqual(["100 %"]);
  });

  test("of one claim only what its command has printed is there, and an attempt begins visibly", () => {
    const other = line("elsewhere\n", { claim_id: "another" });
    const log = JSON.stringify({ msg: "Executing tool", claim_id: claim });
    const again = line("second\n", { attempt: 2 });
    expect(rowsOf([log, line("first\n"), other, again], claim)).toEqual([
      "first",
      "— attempt 2 —",
      "second",
    ]);
  });

  test("in the log of an agent each row says of which claim it is", () => {
    expect(rowsOf([JSON.stringify({ msg: "Executing tool" }), line("first\n")])).toEqual([
      "Executing tool",
      "5c9bbb09 │ first",
    ]);
  });

  test("a row that is written further is the same row, and is over when the command is", () => {
    const rows = new LogRows(claim);
    rows.add(line("a"));
    const [before] = rows.rows();
    rows.add(line("b"));
    expect(rows.rows()).toEqual([{ ...before, message: "ab" } as never]);
    expect(rows.isOver).toBe(false);
    rows.add(JSON.stringify({ level: "info", msg: "Tool execution completed", claim_id: claim }));
    expect(rows.isOver).toBe(true);
  });
});
