import { expect, test } from "bun:test";
import { linesNotPrinted, shownLinesOf } from "../../support/docs/shown-output.ts";

const page = [
  "```sh",
  "sett forage",
  "```",
  "```console",
  "$ sett hoard \\",
  "    --json",
  "ID        TYPE  AGE",
  "4b00deb5  Plan  5s",
  "…",
  "",
  "11:27:33  posts 14905b02  “No … warnings”",
  "```",
  "```console elsewhere",
  "$ sett ui",
  "A browser has opened.",
  "```",
].join("\n");

test("what a page types, leaves out, shows of elsewhere or writes in another language is no output of it", () => {
  expect(shownLinesOf(page)).toEqual([
    { line: 7, text: "ID        TYPE  AGE" },
    { line: 8, text: "4b00deb5  Plan  5s" },
    { line: 11, text: "11:27:33  posts 14905b02  “No … warnings”" },
  ]);
});

test("ids, times, ages and widths of columns may differ; a word may not, and `…` matches any", () => {
  const printed = [
    "ID   TYPE  AGE",
    "00000000  Plan  now",
    "08:00:00 posts ffffffff “No real warnings”",
  ].join("\n");
  expect(linesNotPrinted(shownLinesOf(page), printed)).toEqual([]);
  expect(linesNotPrinted(shownLinesOf(page), printed.replace("Plan", "Plant"))).toEqual([
    { line: 8, text: "4b00deb5  Plan  5s" },
  ]);
  expect(
    linesNotPrinted(shownLinesOf(page), printed.replace("real warnings”", "errors”")).map(
      ({ line }) => line,
    ),
  ).toEqual([11]);
});
