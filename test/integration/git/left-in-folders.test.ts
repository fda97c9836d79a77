// Shows what a command leaves in folders that git tracks, where git takes it for its own or does
// not look, against the next grant.

import { expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CommitHash } from "../../../lib/model/ids.ts";
import { copyIn } from "../../support/git/folders.ts";
import {
  commitFiles,
  git,
  sampleRepository,
  temporaryFolder,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

const files = {
  "src/one.ts": "1;\n",
  "src/deep/two.ts": "2;\n",
  "src/deep/three.ts": "3;\n",
  "a/b/four": "4\n",
};

/**
 * A working copy at a commit with those files. `again`: as a cub that has just started makes it.
 */
async function preparedCopy(keepsIgnored: boolean) {
  const host = sampleRepository();
  const base = commitFiles(host.path, files);
  const workspaceDir = join(host.root, "work");
  const options = {
    objectsDir: join(host.path, ".git/objects"),
    exchangeDir: join(host.root, "exchange"),
    workspaceDir,
    keepsIgnored,
  };
  const copy = copyIn(options);
  await copy.prepare(base);
  const again = () => copyIn(options);
  return { host, folder: workspaceDir, copy, again, base, [Symbol.dispose]: host[Symbol.dispose] };
}

type Made = Awaited<ReturnType<typeof preparedCopy>>;

function expectFiles({ folder }: Made, expected: Record<string, string> = files): void {
  for (const [path, content] of Object.entries(expected))
    expect(readFileSync(join(folder, path), "utf8")).toBe(content);
  expect(toolGit(folder, "status", "--porcelain")).toBe("");
  expect(lstatSync(join(folder, "src")).isDirectory()).toBe(true);
}

/** A fact about what is left in such a copy, with ignored files kept, too. */
const leaves = (fact: string, holds: (made: Made) => Promise<void>) =>
  test.each(rowsOfDay([[false], [true]]))(`${fact}; ignored files kept: %p`, async (keeps) => {
    using made = await preparedCopy(keeps);
    await holds(made);
  });

leaves("a folder that was moved, with a link in its place, has its files again", async (made) => {
  mkdirSync(join(made.folder, "cache"));
  renameSync(join(made.folder, "src"), join(made.folder, "cache/src"));
  symlinkSync("cache/src", join(made.folder, "src"));
  await made.copy.prepare(made.base);
  expectFiles(made);
});

leaves("and so it has at a commit that changes one of its files", async (made) => {
  const next = commitFiles(made.host.path, { "src/deep/two.ts": "22;\n" });
  mkdirSync(join(made.folder, "cache"));
  renameSync(join(made.folder, "src/deep"), join(made.folder, "cache/deep"));
  symlinkSync("../cache/deep", join(made.folder, "src/deep"));
  await made.copy.prepare(next);
  expectFiles(made, { ...files, "src/deep/two.ts": "22;\n" });
});

leaves("a link that git ignores in the place of a folder goes", async (made) => {
  writeFileSync(join(made.folder, ".gitignore"), "*\n");
  renameSync(join(made.folder, "src"), join(made.folder, "moved"));
  symlinkSync("moved", join(made.folder, "src"));
  await made.copy.prepare(made.base);
  expectFiles(made);
});

leaves("a folder that is linked to elsewhere does not lead there", async (made) => {
  using elsewhere = temporaryFolder();
  git(made.host.path, "update-index", "--add", "--cacheinfo", `160000,${made.base},src/part`);
  git(made.host.path, "commit", "-q", "-m", "Add a part");
  const base = CommitHash.parse(git(made.host.path, "rev-parse", "HEAD"));
  await made.copy.prepare(base);
  write(elsewhere.path, { "part/result": "x" });
  writeFileSync(join(made.folder, ".gitignore"), "*\n");
  renameSync(join(made.folder, "src"), join(made.folder, "moved"));
  symlinkSync(elsewhere.path, join(made.folder, "src"));
  await made.copy.prepare(base);
  expect(existsSync(join(elsewhere.path, "part/result"))).toBe(true);
  expectFiles(made);
});

/** With a program that the next command's git would start. */
function leaveRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  toolGit(folder, "init", "-q");
  write(folder, { ".git/left": "left" });
}

leaves("a repository, or another .git, in a tracked folder goes", async (made) => {
  leaveRepository(join(made.folder, "src"));
  write(made.folder, { "src/deep/.git/left": "left", "a/.git": "gitdir: ../src/.git\n" });
  symlinkSync("../../src/.git", join(made.folder, "a/b/.git"));
  await made.copy.prepare(made.base);
  expectFiles(made);
  for (const folder of ["src", "src/deep", "a", "a/b"])
    expect(lstatSync(join(made.folder, folder, ".git"), { throwIfNoEntry: false })).toBeUndefined();
});

leaves(
  "also where the next commit does not have the folder, or is the first that has it",
  async (made) => {
    git(made.host.path, "rm", "-rq", "a");
    const without = commitFiles(made.host.path, { "src/one.ts": "11;\n" });
    write(made.folder, { "a/.git/left": "left", "a/b/.git/left": "left" });
    await made.copy.prepare(without);
    expect(existsSync(join(made.folder, "a"))).toBe(false);
    write(made.folder, { "a/b/.git/left": "left", "a/b/cache/ignored": "x" });
    await made.copy.prepare(made.base);
    expectFiles(made);
    expect(existsSync(join(made.folder, "a/b/.git"))).toBe(false);
  },
);

leaves("also before a cub that has just started", async (made) => {
  write(made.folder, {
    "src/.git/left": "left",
    "src/cache/ignored": "x",
    "src/.gitattributes": "* text eol=crlf\n",
  });
  await made.again().prepare(made.base);
  expectFiles(made);
  expect(existsSync(join(made.folder, "src/.git"))).toBe(false);
});

leaves("attributes that a command leaves do not change what is checked out", async (made) => {
  write(made.folder, {
    ".gitattributes": "* text eol=crlf\n",
    "src/deep/.gitattributes": "* working-tree-encoding=UTF-16\n",
  });
  write(made.folder, {
    "src/one.ts": "x",
    "src/deep/two.ts": "x",
    ".gitignore": ".gitattributes\n",
  });
  await made.copy.prepare(made.base);
  expectFiles(made);
});

leaves("attributes of the commit count, also where a command has changed them", async (made) => {
  const base = commitFiles(made.host.path, { "src/.gitattributes": "*.ts text eol=crlf\n" });
  await made.copy.prepare(base);
  write(made.folder, { "src/.gitattributes": "* binary\n", "src/one.ts": "x" });
  await made.copy.prepare(base);
  expectFiles(made, { "src/.gitattributes": "*.ts text eol=crlf\n", "src/one.ts": "1;\r\n" });
});
