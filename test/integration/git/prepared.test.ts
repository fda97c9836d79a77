// A working copy with what was prepared for its commit: below it, or copied into it.
import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { readLayer, writeLayer } from "../../../lib/git/copy/layer.ts";
import { readContent } from "../../../lib/git/copy/prepared-content.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import { errorOf } from "../../support/error-of.ts";
import { copyIn, ownFolders } from "../../support/git/folders.ts";
import {
  commitFiles,
  sampleRepository,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";

const files = { lock: "one\n", "src/deep/file": "x\n", ".gitignore": "packages\n" };
const agent = "" as const;

/** A repository with three commits: the second has the same lock, and the third has another. */
function repository() {
  const host = sampleRepository();
  const base = commitFiles(host.path, files);
  const next = commitFiles(host.path, { "src/deep/file": "y\n", "added/file": "z\n" });
  const other = commitFiles(host.path, { lock: "two\n" });
  const optionsIn = (workspaceDir: string) => ({ workspaceDir, ...ownFolders(host) });
  const reader = copyIn(optionsIn(join(host.root, "reader")));
  return {
    ...{ host, base, next, other, optionsIn, reader },
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

test("the key's files have a digest of their own: of these paths, whatever their order, and of nothing else", async () => {
  using made = repository();
  const keyOf = (commit: typeof made.base, ...paths: string[]) =>
    made.reader.readKeyFiles({ commit, agent }, paths);
  const first = await keyOf(made.base, "lock", ".gitignore");
  expect(first.missing).toEqual([]);
  expect(await keyOf(made.next, ".gitignore", "lock", "lock")).toEqual(first);
  expect(await keyOf(made.other, "lock", ".gitignore")).not.toEqual(first);
  expect((await keyOf(made.base, "src")).digest).not.toBe((await keyOf(made.next, "src")).digest);
  const { missing } = await keyOf(made.base, "none", "lock", ":(glob)*", "lock/in", "src");
  expect(missing).toEqual([":(glob)*", "lock/in", "none"]);
  const both = await keyOf(made.base, "src", "src/deep/file");
  expect(both.missing).toEqual([]);
  expect(both.digest).not.toBe((await keyOf(made.base, "src")).digest);
});

test("a program, a link and a plain file of the same content are not the same key", async () => {
  using made = repository();
  const { host, reader } = made;
  const path = join(host.path, "lock");
  writeFileSync(path, "one");
  const plain = commitFiles(host.path, { other: "1\n" });
  chmodSync(path, 0o755);
  const program = commitFiles(host.path, { other: "2\n" });
  rmSync(path);
  symlinkSync("one", path);
  const link = commitFiles(host.path, { other: "3\n" });
  const digests = new Set<string>();
  for (const commit of [plain, program, link])
    digests.add((await reader.readKeyFiles({ commit, agent }, ["lock"])).digest);
  expect(digests.size).toBe(3);
});

test("its files alone are written, without a repository", async () => {
  using made = repository();
  const folder = join(made.host.root, "taken");
  const copy = copyIn(made.optionsIn(folder));
  await copy.takeFiles({ commit: made.base, agent }, ["lock", "src/deep"], 6);
  expect((await $`find ${folder} -type f`.text()).trim().split("\n").toSorted()).toEqual([
    join(folder, "lock"),
    join(folder, "src/deep/file"),
  ]);
  const missing = copy.takeFiles({ commit: made.base, agent }, ["*"], 6);
  expect(await errorOf(missing)).toMatchObject({ code: "git-failed" });
  const large = copy.takeFiles({ commit: made.base, agent }, ["lock", "src/deep"], 5);
  expect(String(await errorOf(large))).toContain("more than `resources.limits.disk` allows");
});

/** A copy over a layer of the first commit, in which prepared files are seen. */
async function over(made: ReturnType<typeof repository>) {
  const folder = join(made.host.root, "layer");
  const workspaceDir = join(folder, treeFolder);
  const maker = copyIn(made.optionsIn(workspaceDir));
  await maker.prepare(made.base, []);
  await writeLayer(folder, await maker.leaveLayer());
  mkdirSync(join(workspaceDir, "packages"));
  write(workspaceDir, { "packages/code": "code\n", "added/file": "prepared\n" });
  mkdirSync(join(workspaceDir, "src/.git"));
  const { digest } = await made.reader.readKeyFiles({ commit: made.base, agent }, ["lock"]);
  const prepared = { key: ["lock"], files: digest };
  const layer = await readLayer(folder);
  return { workspaceDir, copy: copyIn({ ...made.optionsIn(workspaceDir), layer, prepared }) };
}

test("what lies below stays, at the commit of the layer and at another one, whose files come first", async () => {
  using made = repository();
  const { copy, workspaceDir } = await over(made);
  await copy.prepare(made.next, [], { maxBytes: 1_000_000 });
  expect(readFileSync(join(workspaceDir, "packages/code"), "utf8")).toBe("code\n");
  expect(readFileSync(join(workspaceDir, "added/file"), "utf8")).toBe("z\n");
  expect(existsSync(join(workspaceDir, "src/.git"))).toBe(false);
  expect(toolGit(workspaceDir, "status", "--porcelain")).toBe("");
});

test("what was prepared for another lock file is not worked with", async () => {
  using made = repository();
  const { copy } = await over(made);
  expect(await errorOf(copy.prepare(made.other, []))).toMatchObject({
    code: "git-failed",
    message: "What is prepared for this work belongs to another version of lock.",
  });
});

test("without an overlay it is copied, and nothing of the commit is written over", async () => {
  using made = repository();
  const folder = join(made.host.root, "prepared");
  mkdirSync(folder);
  write(folder, { "packages/code": "code\n", lock: "evil\n", "src/deep/file/in": "evil\n" });
  symlinkSync("/etc", join(folder, "packages/link"));
  mkdirSync(join(folder, "src/more"));
  chmodSync(join(folder, "packages/code"), 0o755);
  await $`mkfifo ${join(folder, "packages/pipe")}`;
  const { digest } = await made.reader.readKeyFiles({ commit: made.base, agent }, ["lock"]);
  const workspaceDir = join(made.host.root, "workspace");
  const prepared = { key: ["lock"], files: digest, folder };
  const copy = copyIn({ ...made.optionsIn(workspaceDir), prepared });
  for (const _grant of ["first", "second"]) {
    await copy.prepare(made.base, []);
    expect(readFileSync(join(workspaceDir, "lock"), "utf8")).toBe("one\n");
    expect(readFileSync(join(workspaceDir, "src/deep/file"), "utf8")).toBe("x\n");
    expect(lstatSync(join(workspaceDir, "packages/code")).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(workspaceDir, "packages/link")).isSymbolicLink()).toBe(true);
    expect(existsSync(join(workspaceDir, "packages/pipe"))).toBe(false);
    expect(toolGit(workspaceDir, "status", "--porcelain")).toBe("");
    writeFileSync(join(workspaceDir, "lock"), "changed by the command\n");
  }
});

test("the digest of a content is of names, kinds and bytes, and not of times or repositories", async () => {
  using host = sampleRepository();
  const contentOf = async (name: string, all: Record<string, string>) => {
    const folder = join(host.root, name);
    mkdirSync(folder);
    write(folder, all);
    return await readContent(folder);
  };
  const one = await contentOf("one", { "a/b": "b\n", c: "c\n" });
  expect(one).toMatchObject({ files: 2, bytes: 4 });
  expect(await contentOf("two", { c: "c\n", "a/b": "b\n", "a/.git/config": "x" })).toEqual(one);
  const others = await Promise.all([
    contentOf("three", { "a/b": "b\n", c: "d\n" }),
    contentOf("four", { ab: "b\n", c: "c\n" }),
    contentOf("five", { "a/b": "b\n", c: "c\n", "d/e": "" }),
  ]);
  chmodSync(join(host.root, "one/c"), 0o755);
  const programs = await readContent(join(host.root, "one"));
  chmodSync(join(host.root, "one/c"), 0);
  chmodSync(join(host.root, "one/a"), 0);
  expect(await readContent(join(host.root, "one"))).toEqual(one);
  expect(new Set([one, ...others, programs].map(({ digest }) => digest)).size).toBe(5);
});
