// The names of files in what `finish` answers: the model gives them to the other tools.
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import {
  commitChanges,
  maxNewFiles,
} from "../../../../../apps/cub/prompt-worker/commit-changes.ts";
import { openWorkspace } from "../../../../../apps/cub/prompt-worker/workspace.ts";
import { pathIn, pathOfBytes } from "../../../../../lib/folders/folder-entries.ts";
import { toolScene } from "../../../../support/models/use-tool.ts";

/** In a repository with one commit, which the work begins at. */
async function scene() {
  const made = await toolScene({ "README.md": "Hello\n" });
  const as = ["-c", "user.name=Ada", "-c", "user.email=ada@sett.invalid"];
  made.git("add", ".");
  made.git(...as, "commit", "--quiet", "-m", "Begin");
  const workspace = await openWorkspace(made.folder, { path: "git", env: made.env });
  return { ...made, as, workspace };
}

const reasonOf = async (one: Awaited<ReturnType<typeof scene>>) => {
  const commit = await commitChanges(one.workspace, "Change");
  return commit.ok ? "" : commit.reason;
};

test.each([
  ["caf\xe9", '"caf\\351"'],
  ["a\nb", '"a\\nb"'],
  ["plain", "plain"],
])("a file that is too large is named so that tools take it: %j", async (name, shown) => {
  using one = await scene();
  writeFileSync(pathOfBytes(one.folder, name), Buffer.alloc(10_000_001));
  expect(await reasonOf(one)).toStartWith(`The commit would add ${shown} of 10 MB.`);
});

test("some of too many new files are named so that tools take them", async () => {
  using one = await scene();
  for (let at = 0; at <= maxNewFiles; at++)
    writeFileSync(pathOfBytes(one.folder, `\xe9${at}`), "x\n");
  expect(await reasonOf(one)).toContain('such as "\\3510", "\\3511", "\\35110".');
});

test.each([
  ["caf\xe9", '"caf\\351"'],
  ["a\tb", '"a\\tb"'],
])(
  "a folder that is a repository of its own is named, and the index forgets it: %j",
  async (name, shown) => {
    using one = await scene();
    const folder = pathOfBytes(one.folder, name);
    mkdirSync(folder);
    one.git("init", "--quiet", "inner");
    writeFileSync(pathIn(`${one.folder}/inner`, "file"), "x\n");
    const inner = ["-C", "inner", ...one.as];
    one.git(...inner, "add", ".");
    one.git(...inner, "commit", "--quiet", "-m", "Begin");
    renameSync(`${one.folder}/inner`, pathIn(folder, "inner"));
    // The model adds the link itself, and finishes.
    one.git("add", "--all");
    expect(await reasonOf(one)).toStartWith(
      `${shown.slice(0, -1)}/inner" has a repository of its own`,
    );
    expect(one.git("ls-files", "--stage")).not.toContain("160000");
  },
);
