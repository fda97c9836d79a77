import { expect, test } from "bun:test";
import { readTags } from "../../../../../lib/git/repository/tags.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";

const [one, two] = ["a".repeat(40), "b".repeat(40)];

test("light and annotated tags name their commits, and tags of anything else are left out", () => {
  const printed = [
    `commit ${one}   v1`,
    `tag ${two} commit ${one} release/v2`,
    `blob ${two}   a-file`,
    `tag ${two} tree ${one} a-folder`,
    `tag ${two} tag ${one} a-tag`,
    "",
  ];
  expect(readTags(printed.join("\n"))).toEqual([
    { name: "v1", object: CommitHash.parse(one), commit: CommitHash.parse(one) },
    { name: "release/v2", object: CommitHash.parse(two), commit: CommitHash.parse(one) },
  ]);
  expect(readTags("")).toEqual([]);
});
