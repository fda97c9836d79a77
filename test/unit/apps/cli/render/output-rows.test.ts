import { expect, test } from "bun:test";
import { OutputRows } from "../../../../../apps/cli/render/output-rows.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { type OutputLine, readOutputLine } from "../../../../../lib/model/output-line.ts";

const line = (text: string, claim_id = "7eef62c8-20cd"): OutputLine => ({
  ...{ msg: "Output", time: "2026-11-27T00:00:00.000Z", agent: "builder", goal_id: "g" },
  ...{ claim_id, attempt: 1, stream: "stderr", text },
});

function rowsOf({
  columns = undefined as number | undefined,
  hasColours = false,
  isAlone = false,
} = {}) {
  return new OutputRows({ out: { style: createStyle(false), columns }, hasColours, isAlone });
}

const withoutTime = (text: string) => text.replaceAll(/\d\d:\d\d:\d\d {2}/g, "");

test("each line has its claim, and a line that comes in parts is one", () => {
  const rows = rowsOf();
  expect(withoutTime(rows.add(line("one\ntw")))).toBe("7eef62c8 │ one\n");
  expect(withoutTime(rows.add(line("other\n", "11111111-2")))).toBe("11111111 │ other\n");
  expect(withoutTime(rows.add(line("o\n")))).toBe("7eef62c8 │ two\n");
});

test("of a progress bar the last writing is shown, and on a terminal of its own each as it comes", () => {
  const rows = rowsOf();
  expect(rows.add(line("10 %\r50 %\r"))).toBe("");
  expect(withoutTime(rows.add(line("100 %\n")))).toBe("7eef62c8 │ 100 %\n");
  const alone = rowsOf({ isAlone: true, columns: 80 });
  expect(withoutTime(alone.add(line("10 %\r")))).toBe("7eef62c8 │ 10 %");
  expect(withoutTime(alone.add(line("50 %\r")))).toBe("\r\u001b[K7eef62c8 │ 50 %");
  expect(withoutTime(alone.add(line("of another\n", "11111111-2")))).toBe(
    "\n11111111 │ of another\n",
  );
  alone.add(line("100 %"));
  expect(alone.leave()).toBe("\n");
  expect(alone.leave()).toBe("");
});

test("begun lines are there for the foot of a terminal, the newest of them, until they end", () => {
  const rows = rowsOf({ columns: 30 });
  rows.add(line("1 of 3\r2 of 3\r"));
  rows.add(line("a line that is wider than its terminal", "11111111-2"));
  expect(rows.begun().map(withoutTime)).toEqual(["7eef62c8 │ 2 of 3", "11111111 │ a line t"]);
  rows.add(line("3 of 3\n"));
  expect(rows.begun()).toHaveLength(1);
  for (const claim of ["2", "3", "4", "5", "6", "7"])
    rows.add(line("at work", `${claim}eef62c8-1`));
  expect(
    rows
      .begun()
      .map((row) => withoutTime(row).slice(0, 1))
      .join(""),
  ).toBe("34567");
});

test("colours stay, and nothing that moves the cursor, sets a title or hides a text", () => {
  const text =
    "\u001b[1;31mred\u001b[0m \u001b[8mhidden\u001b[30;40m \u001b[97mwhite \u001b[2J\u001b[5;5H\u001b]0;title\u0007end\n";
  const shown = withoutTime(rowsOf({ hasColours: true }).add(line(text)));
  expect(shown).toBe("7eef62c8 │ \u001b[1;31mred\u001b[0m hidden \u001b[39mwhite end\u001b[0m\n");
  expect(withoutTime(rowsOf().add(line(text)))).not.toContain("\u001b");
});

test("a colour of a palette is left out, and its parts are no styles", () => {
  const shownOf = (text: string) => withoutTime(rowsOf({ hasColours: true }).add(line(text)));
  for (const code of ["38;5;4", "48;5;31", "38;2;1;3;4", "58;5;1"])
    expect(shownOf(`\u001b[${code}mx\u001b[m\n`)).toBe("7eef62c8 │ x\u001b[0m\u001b[0m\n");
  expect(shownOf("\u001b[1;38;5;4;31mx\n")).toBe("7eef62c8 │ \u001b[1;31mx\u001b[0m\n");
});

test("a line that is wider than the terminal has the bar in each row", () => {
  const shown = rowsOf({ columns: 40, hasColours: true }).add(line(`${"word ".repeat(30)}\n`));
  for (const row of shown.trimEnd().split("\n")) expect(row).toContain("7eef62c8 │ ");
});

test("only lines of output are read as such", () => {
  expect(readOutputLine(JSON.stringify(line("x")))).toMatchObject({ text: "x" });
  expect(readOutputLine('{"msg":"Output","text":1}')).toBeUndefined();
  expect(readOutputLine('not json "msg":"Output"')).toBeUndefined();
});
