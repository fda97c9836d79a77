// The names of files in what `finish` answers: the model gives them to the other tools.
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import {
  commitChanges,
  keepProgress,
  maxNewFiles,
} from "../../../../../apps/cub/prompt-worker/commit-changes.ts";
import { openWorkspace } from "../../../../../apps/cub/prompt-worker/workspace.ts";
import { pathIn, pathOfBytes } from "../../../../../lib/folders/folder-entries.ts";
import { SparsePaths } from "../../../../../lib/git/copy/sparse-paths.ts";
import { toolScene } from "../../../../support/models/use-tool.ts";

/** In a repository with one commit, which the work begins at. */
async function scene(files: Record<string, string> = {}, paths?: string[]) {
  const made = await toolScene({ "README.md": "Hello\n", ...files });
  const as = ["-c", "user.name=Ada", "-c", "user.email=ada@sett.invalid"];
  made.git("add", ".");
  made.git(...as, "commit", "--quiet", "-m", "Begin");
  const workspace = await openWorkspace(
    made.folder,
    { path: "git", env: made.env },
    paths && new SparsePaths(paths),
  );
  return { ...made, as, workspace };
}

/** As the variables of the cub do. */
function identify({ git }: Awaited<ReturnType<typeof scene>>): void {
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@sett.invalid");
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

test("a change beyond the agent's part of the repository is named, until it is taken back", async () => {
  const files = { "door/key": "key\n", "vault/plan": "plan\n" };
  using one = await scene(files, ["door/"]);
  identify(one);
  writeFileSync(`${one.folder}/door/key`, "new\n");
  writeFileSync(`${one.folder}/new`, "new\n");
  const refused = (file: string) =>
    `${file} is not in the part of the repository that this agent may change: door/. ` +
    `Remove it if it is new, else take back its change (\`git checkout HEAD -- ${file}\`).`;
  expect(await reasonOf(one)).toBe(refused("new"));
  rmSync(`${one.folder}/new`);
  writeFileSync(`${one.folder}/vault/plan`, "other\n");
  one.git("add", "--all");
  expect(await reasonOf(one)).toBe(refused("vault/plan"));
  one.git("checkout", "HEAD", "--", "vault/plan");
  expect(await reasonOf(one)).toBe("");
  expect(one.git("show", "--format=", "--name-only", "HEAD").trim()).toBe("door/key");
});

test("in an unfinished merge the changes of others are no changes of the agent", async () => {
  using one = await scene({ "door/key": "key\n", "vault/plan": "plan\n" }, ["door/"]);
  identify(one);
  one.git("checkout", "--quiet", "-b", "other");
  writeFileSync(`${one.folder}/vault/plan`, "other\n");
  one.git(...one.as, "commit", "--quiet", "--all", "-m", "Other");
  one.git("checkout", "--quiet", "-");
  writeFileSync(`${one.folder}/door/key`, "new\n");
  one.git(...one.as, "commit", "--quiet", "--all", "-m", "Own");
  one.git(...one.as, "merge", "--quiet", "--no-commit", "other");
  expect(await reasonOf(one)).toBe("");
});

test("a conflict is named until it is decided, and the marks of it get into no commit", async () => {
  using one = await diverged();
  one.git("merge", "--quiet", "other");
  expect(await reasonOf(one)).toStartWith("key is in conflict, from a merge, a rebase or a stash");
  expect(await keepProgress(one.workspace)).toMatchObject({ ok: false });
  // The model adds it as it is: git takes it for resolved.
  one.git("add", "--all");
  expect(await reasonOf(one)).toStartWith("key has lines of a conflict (`<<<<<<<`, `>>>>>>>`)");
  writeFileSync(`${one.folder}/key`, "both\n");
  one.git("add", "key");
  expect(await reasonOf(one)).toBe("");
  expect(one.git("show", "HEAD:key")).toBe("both");
  expect(one.git("log", "-1", "--format=%p").trim().split(" ")).toHaveLength(2);
});

test("a rebase in its midst is no result, as the commits that are left would be lost", async () => {
  using one = await diverged();
  one.git("rebase", "--quiet", "other");
  writeFileSync(`${one.folder}/key`, "both\n");
  one.git("add", "key");
  expect(await reasonOf(one)).toStartWith("A rebase, or a series of picked commits, is not");
  one.git("-c", "core.editor=true", "rebase", "--continue");
  expect(await reasonOf(one)).toBe("");
  expect(one.git("ls-tree", "--name-only", "HEAD")).toBe("README.md\nhinge\nkey");
});

test("what has the marks of a conflict on purpose is no conflict of a merge", async () => {
  const marks = "<<<<<<< HEAD\none\n=======\nother\n>>>>>>> other\n";
  using one = await scene({ gone: marks, kept: marks });
  identify(one);
  one.git("checkout", "--quiet", "-b", "other");
  // A fixture is new, one is another one now, and what was committed by mistake is mended.
  writeFileSync(`${one.folder}/new`, marks.replaceAll("\n", "\r\n"));
  writeFileSync(`${one.folder}/kept`, `${marks}${marks}`);
  writeFileSync(`${one.folder}/gone`, "both\n");
  one.git("add", ".");
  one.git("commit", "--quiet", "-m", "Other");
  one.git("checkout", "--quiet", "-");
  writeFileSync(`${one.folder}/own`, "own\n");
  one.git("add", ".");
  one.git("commit", "--quiet", "-m", "Own");
  one.git("merge", "--quiet", "--no-commit", "other");
  // The agent mends what both have, while it is at it.
  writeFileSync(`${one.folder}/kept`, "both\n");
  expect(await reasonOf(one)).toBe("");
});

test.each([
  ["picked", ["cherry-pick", "other"]],
  ["taken back", ["revert", "HEAD~2"]],
])("the marks of a commit that is %s get into no commit", async (_what, words) => {
  using one = await diverged();
  writeFileSync(`${one.folder}/key`, "more\n");
  one.git("commit", "--quiet", "--all", "-m", "More");
  one.git(...words);
  expect(await reasonOf(one)).toStartWith("key is in conflict");
  one.git("add", "--all");
  expect(await reasonOf(one)).toStartWith("key has lines of a conflict (`<<<<<<<`, `>>>>>>>`)");
});

/** Two branches that change one file, and another commit on that which is checked out. */
async function diverged() {
  const one = await scene({ key: "key\n" });
  identify(one);
  one.git("checkout", "--quiet", "-b", "other");
  writeFileSync(`${one.folder}/key`, "other\n");
  one.git("commit", "--quiet", "--all", "-m", "Other");
  one.git("checkout", "--quiet", "-");
  writeFileSync(`${one.folder}/key`, "own\n");
  one.git("commit", "--quiet", "--all", "-m", "Own");
  writeFileSync(`${one.folder}/hinge`, "hinge\n");
  one.git("add", ".");
  one.git("commit", "--quiet", "-m", "Hinge");
  return one;
}
