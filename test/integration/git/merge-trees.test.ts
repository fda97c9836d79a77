// Merging two commits in a real repository, without a working tree.
import { expect, test } from "bun:test";
import { mergeTrees } from "../../../lib/git/run/merge-trees.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
} from "../../support/git/sample-repository.ts";

const program = { path: "git", env: hostEnv };

/** Two branches from one commit. */
function branches(ours: Record<string, string>, theirs: Record<string, string>) {
  const repository = sampleRepository();
  const { path } = repository;
  const begin = git(path, "rev-parse", "HEAD");
  const [one, other] = [ours, theirs].map((files) => {
    git(path, "checkout", "--quiet", "--detach", begin);
    return commitFiles(path, files, "Change");
  });
  const both = { ours: CommitHash.parse(one), theirs: CommitHash.parse(other) };
  return { path, both, [Symbol.dispose]: () => repository[Symbol.dispose]() };
}

test("the tree has both changes, and line ends stay as they are in spite of `* text`", async () => {
  using at = branches({ ".gitattributes": "* text\n" }, { "windows.txt": "a\r\nb\r\n" });
  const merged = await mergeTrees(program, at.path, at.both);
  if (merged.outcome !== "merged") throw new Error(`It conflicts: ${merged.files}`);
  expect(git(at.path, "ls-tree", "--name-only", merged.tree)).toContain("windows.txt");
  const [theirs, result] = [at.both.theirs, merged.tree].map((tree) =>
    git(at.path, "rev-parse", `${tree}:windows.txt`),
  );
  expect(result).toBe(theirs);
});

test("files in which both changes meet are named, whatever their names", async () => {
  const name = "caf\u00e9\t1";
  using at = branches({ [name]: "one\n", mine: "" }, { [name]: "other\n", theirs: "" });
  const files = [Buffer.from(name).toString("latin1")];
  expect(await mergeTrees(program, at.path, at.both)).toEqual({ outcome: "conflict", files });
});

test("what git cannot merge is its own reason", async () => {
  using at = branches({ a: "" }, { b: "" });
  const theirs = CommitHash.parse("1".repeat(40));
  await expect(mergeTrees(program, at.path, { ...at.both, theirs })).rejects.toThrow(
    /merge-tree|1111/,
  );
});
