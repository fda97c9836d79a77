import { expect, test } from "bun:test";
import { progressIn } from "../../../../../lib/git/run/progress.ts";

test("the newest count of a piece of git's output is its progress", () => {
  const text =
    "Enumerating objects: 7, done.\nCounting objects: 100% (7/7), done.\rUpdating files:  20% (20541/100000)\r";
  expect(progressIn(text)).toEqual({ what: "Updating files", done: 20_541, of: 100_000 });
  const writing = "Writing objects:  57% (4/7), 1.00 MiB | 2.00 MiB/s\r";
  expect(progressIn(writing)).toEqual({ what: "Writing objects", done: 4, of: 7 });
});

test("what counts nothing is no progress", () => {
  for (const text of ["", "fatal: not a git repository", "Enumerating objects: 7, done."])
    expect(progressIn(text)).toBeUndefined();
});
