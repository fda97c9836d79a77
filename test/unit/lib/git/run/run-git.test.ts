// Git's words become the reason of a failure, and what to do about it.
import { expect, test } from "bun:test";
import { failureLine, gitFailure } from "../../../../../lib/git/run/run-git.ts";

test.each([
  // A signer that ends without a word leaves the first line empty.
  ["error: \nfatal: failed to write commit object\n", "failed to write commit object"],
  ["hint: one\nerror: two\nfatal: three\n", "two; three"],
  ["warning: one\nthe hook says no\n", "the hook says no"],
  [
    "error: These files would be overwritten by merge:\n\ta b\n\tc\n\td\n\te\nPlease move them.\nAborting\n",
    "These files would be overwritten by merge: a b, c, d and 1 more",
  ],
  ["fatal: unknown extension found:\n\tlater\n", "unknown extension found: later"],
  [
    "git-lfs filter-process: 1: git-lfs: not found\nfatal: the remote end hung up unexpectedly\n",
    "git-lfs filter-process: 1: git-lfs: not found; the remote end hung up unexpectedly",
  ],
  ["error: \n", undefined],
  ["\n \n", undefined],
])("git's reason in %j", (stderr, reason) => {
  expect(failureLine(stderr)).toEqual(reason);
});

test.each([
  ["fatal: Unable to create '/a/.git/packed-refs.lock': File exists.\n", "remove that file"],
  ["git-lfs smudge -- a: line 1: git-lfs: command not found\n", "Install that program"],
  ["fatal: bad revision\n", undefined],
])("what to do about %j", (stderr, remedy) => {
  const { hint } = gitFailure({ args: ["status"] }, { exitCode: 128, stdout: "", stderr });
  if (remedy === undefined) expect(hint).toBeUndefined();
  else expect(hint).toContain(remedy);
});
