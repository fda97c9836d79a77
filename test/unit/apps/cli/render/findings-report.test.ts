import { expect, test } from "bun:test";
import type { Finding } from "../../../../../apps/cli/facts/finding.ts";
import { findingsJson, findingsReport } from "../../../../../apps/cli/render/findings-report.ts";
import { symbolsFor } from "../../../../../apps/cli/render/symbols.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";

const findings: Finding[] = [
  { subject: "machine", check: "git", level: "ok", found: "2.39.5" },
  {
    subject: "redis",
    check: "memory",
    level: "warning",
    found: "full",
    why: "It refuses writes.",
    remedy: "Make room with `sett prune`.",
  },
  {
    subject: "machine",
    check: "disk",
    level: "problem",
    found: "full",
    why: "No result is stored.",
    remedy: "Make room.",
  },
];

test("findings are shown by subject, with the remedy below each, and counted", () => {
  expect(
    findingsReport(findings, symbolsFor({}), { style: createStyle(false), columns: undefined }),
  ).toEqual([
    "machine",
    "  + git               2.39.5",
    "  ! disk              full",
    "    No result is stored.",
    "    -> Make room.",
    "",
    "redis",
    "  ? memory            full",
    "    It refuses writes.",
    "    -> Make room with `sett prune`.",
    "",
    "1 problem, 1 warning, 0 notes; 1 of 3 checks is fine.",
  ]);
});

test("on a terminal what was found is wrapped below itself", () => {
  const [first] = findings;
  if (first === undefined) throw new Error("There is one.");
  const long = [{ ...first, found: "one two three four five six" }];
  expect(
    findingsReport(long, symbolsFor({}), { style: createStyle(false), columns: 46 }).slice(1, 3),
  ).toEqual(["  + git               one two three four five\n                      six", ""]);
});

test("as JSON every finding has the same members", () => {
  const { findings: all, ...counts } = findingsJson(findings);
  expect(counts).toEqual({ problems: 1, warnings: 1, notes: 0 });
  expect(new Set(all.map((one) => Object.keys(one).join()))).toEqual(
    new Set(["subject,check,level,found,why,remedy"]),
  );
});
