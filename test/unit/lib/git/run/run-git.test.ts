// Which of git's words become the reason of a failure.
import { expect, test } from "bun:test";
import { failureLine } from "../../../../../lib/git/run/run-git.ts";

test.each([
  // A signer that ends without a word leaves the first line empty.
  ["error: \nfatal: failed to write commit object\n", "failed to write commit object"],
  ["hint: one\nerror: two\nfatal: three\n", "two; three"],
  ["warning: one\nthe hook says no\n", "the hook says no"],
  [
    "error: These files would be overwritten by merge:\n\ta b\n\tc\n\td\n\te\nPlease move them.\nAborting\n",
    "These files would be overwritten by merge: a b, c, d and 1 more",
  ],
  ["error: \n", undefined],
  ["\n \n", undefined],
])("git's reason in %j", (stderr, reason) => {
  expect(failureLine(stderr)).toEqual(reason);
});
