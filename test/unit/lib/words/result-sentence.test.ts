import { expect, test } from "bun:test";
import { resultRows, type SpokenResult } from "../../../../lib/words/result-sentence.ts";
import { textOf } from "../../../../lib/words/segment.ts";

const nothing: SpokenResult = {
  ...{ state: "achieved", duration_ms: null },
  ...{ commits: [], others: [], checks: [], approvals: [], reverts: [] },
};
const item = { artefact: "9f3a12b4-1", type: "CodeCommit", version: 2, by: "coder", summary: "Ok" };
const rowsOf = (over: Partial<SpokenResult>, clean = (text: string) => text) =>
  resultRows({ ...nothing, ...over }).map(({ name, says }) => `${name}: ${textOf(says, clean)}`);

test("a result says what, by whom, who has checked and approved it, and how long it took", () => {
  const checks = [
    { agent: "tester", outcome: "passed" },
    { agent: "linter", outcome: "passed" },
    { agent: "reviewer", outcome: "failed" },
  ] as const;
  const approvals = [
    {
      ...{ by: "Ada Lovelace <ada@example.org>", agent: "owners", about: "9f3a12b4-1" },
      ...{ review: "1", words: "Good", meaning: "responsibility" as const },
      at: "2026-01-01T00:00:00.000Z",
    },
  ];
  const commits = [{ ...item, commit: "1".repeat(40) }];
  expect(rowsOf({ duration_ms: 192_000, commits, checks, approvals })).toEqual([
    "result: CodeCommit 9f3a12b4, version 2 by coder: “Ok”",
    "checks: tester, linter passed; reviewer failed",
    "approved: by Ada Lovelace, about 9f3a12b4, signed as responsibility: “Good”",
    "took: 3:12",
  ]);
});

test("what a goal has made that failed is no result", () => {
  expect(rowsOf({ state: "failed", others: [{ ...item, by: "", version: 1 }] })).toEqual([
    "made: CodeCommit 9f3a12b4 by a person: “Ok”",
  ]);
});

test("a goal that was taken back says by whom, and from which lane", () => {
  const revert = { lane: "main", by: "Grace Hopper <grace@example.org>", artefact: "1", at: "" };
  expect(rowsOf({ reverts: [revert] })).toEqual(["reverted: from the lane main by Grace Hopper"]);
});

test("many results are counted, and all that agents have chosen is made safe", () => {
  const rows = rowsOf({ others: Array.from({ length: 8 }, () => item) }, () => "");
  expect(rows).toHaveLength(6);
  expect(rows.at(-1)).toBe(": and 3 more");
  expect(rows[0]).toBe("result:  , version  by : “”");
});
