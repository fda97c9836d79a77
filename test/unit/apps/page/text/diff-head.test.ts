import { expect, test } from "bun:test";
import { readDiffHead } from "../../../../../apps/page/text/diff-head.ts";

test("the title and the warnings of a diff are separate from the words of its commits", () => {
  const head =
    "2 commits since 1a2b3c4d5e6f, the commit of the goal\n! 1 commit names another author.\n! Another.";
  const commits = "commit 1\nAuthor: Ada\n\n    ! Not a warning\n\ncommit 2";
  expect(readDiffHead(`${head}\n\n${commits}`)).toEqual({
    title: "2 commits since 1a2b3c4d5e6f, the commit of the goal",
    warnings: ["1 commit names another author.", "Another."],
    commits,
  });
});

test("a part of the changes has no commits, and nothing at all is a title", () => {
  expect(readDiffHead("Only the changes since version 1 (commit 1a2b3c4d5e6f):")).toEqual({
    title: "Only the changes since version 1 (commit 1a2b3c4d5e6f):",
    warnings: [],
    commits: "",
  });
  expect(readDiffHead("")).toEqual({ title: "", warnings: [], commits: "" });
});
