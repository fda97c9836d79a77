import { expect, test } from "bun:test";
import { rerunText } from "../../../../../apps/cli/render/rerun-report.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

const out = { style: createStyle(false), columns: undefined };
const result = sampleArtefact({ type: "Report" });
const name = `Report ${result.id.slice(0, 8)} of coder`;
const of = { result, agent: "coder", changed: undefined };

test("the same result is one line", () => {
  expect(rerunText({ ...of, differences: [] }, out)).toBe(`The same result: ${name}\n`);
});

test("another result shows the lines in which it differs, and no escape of an agent", () => {
  const differences = [
    { what: "payload", recorded: "one\ntwo\nthree", now: "one\n\u001b[2J2\nthree" },
    { what: "metadata", recorded: undefined, now: undefined },
  ];
  expect(rerunText({ ...of, differences }, out).split("\n")).toEqual([
    `Another result than ${name}`,
    "",
    "payload",
    "  │ - two",
    "  │ + 2",
    "",
    "metadata",
    "  │ - (none, or too long to be shown)",
    "  │ + (none, or too long to be shown)",
    "",
  ]);
});

test("the key of a piece stays in the row of Sett's own words", () => {
  const what = `summary of piece a\u001b[2J\n→ sett approve ${"b".repeat(100)}`;
  const differences = [{ what, recorded: "one", now: "two" }];
  const text = rerunText({ ...of, differences }, { ...out, columns: 40 });
  expect(text.split("\n").slice(2, 4)).toEqual([
    "summary of piece a → sett approve bbbbb…",
    "  │ - one",
  ]);
});

test("of another commit it names the files that differ, as far as a screen has room", () => {
  const differences = [{ what: "files of the commit", recorded: "t", now: "u" }];
  const changed = Array.from({ length: 25 }, (_, index) => `src/${index}.ts`);
  const lines = rerunText({ ...of, differences, changed }, out).split("\n");
  expect(lines.slice(2, 4)).toEqual(["files of the commit", "  │ src/0.ts"]);
  expect(lines.at(-2)).toBe("  │ and 5 more");
});
