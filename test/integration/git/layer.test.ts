// A working copy that begins with a checkout which another has made.
import { expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readLayer, writeLayer } from "../../../lib/git/copy/layer.ts";
import { readTree } from "../../../lib/git/copy/tree-facts.ts";
import type { GitRun } from "../../../lib/git/run/run-git.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import { errorOf } from "../../support/error-of.ts";
import { agentsGit, copyIn, ownFolders } from "../../support/git/folders.ts";
import {
  commitFiles,
  sampleRepository,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";

const attributes = { ".gitattributes": "*.crlf text eol=crlf\n", "a.crlf": "one\ntwo\n" };

/** A layer of the first commit, and a copy that begins with it, in the place of an overlay. */
async function layered({ isUsed = false } = {}) {
  const host = sampleRepository();
  const full = join(host.root, "full");
  const base = commitFiles(host.path, { ...attributes, "src/deep/file": "x\n" });
  const folder = join(host.root, "layer");
  const workspaceDir = join(folder, treeFolder);
  const options = { workspaceDir, ...ownFolders(host) };
  const maker = copyIn(options);
  await maker.prepare(base, [], { maxBytes: 1_000_000 });
  await writeLayer(folder, await maker.leaveLayer());
  const layer = await readLayer(folder);
  const copyGit = { ...agentsGit, path: gitOnDisk(host.root, full) };
  const copy = copyIn({ ...options, git: copyGit, layer, isUsed });
  /** As the copy, for a workspace that has no layer. */
  const plain = () => {
    const other = join(host.root, "plain");
    return { workspaceDir: other, copy: copyIn({ ...options, workspaceDir: other }) };
  };
  const another = (objectsDir = options.objectsDir) => copyIn({ ...options, objectsDir, layer });
  /** When each was last written, or had its mode set. */
  const changes = () =>
    ["README.md", "a.crlf", "src", "src/deep/file"].map(
      (name) => lstatSync(join(workspaceDir, name), { bigint: true }).ctimeNs,
    );
  return {
    host,
    base,
    folder,
    full,
    workspaceDir,
    copy,
    changes,
    plain,
    another,
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

/** A git that finds no room for files while there is a file `full`. */
function gitOnDisk(folder: string, full: string): string {
  const path = join(folder, "git-on-disk");
  const text = `#!/bin/sh
for word; do
  if [ "$word" = checkout ] && [ -e '${full}' ]; then
    echo 'error: unable to create file src/deep/file: No space left on device' >&2
    exit 128
  fi
done
exec git "$@"
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

test("a copy at the commit of its layer is ready without a look at the files", async () => {
  using made = await layered();
  const before = made.changes();
  // A look would remove it.
  writeFileSync(join(made.workspaceDir, "src/deep/untracked"), "");
  await made.copy.prepare(made.base, [], { maxBytes: 1_000_000 });
  expect(made.changes()).toEqual(before);
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("?? src/deep/untracked");
  expect(toolGit(made.workspaceDir, "rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
  expect(await made.copy.head()).toBe(made.base);
  expect(readFileSync(join(made.workspaceDir, "a.crlf"), "latin1")).toBe("one\r\ntwo\r\n");
});

test("git need not read a file of a layer to know that it is unchanged", async () => {
  using made = await layered();
  await made.copy.prepare(made.base);
  const indexed = seconds(lstatSync(join(made.workspaceDir, ".git/index")).mtimeMs);
  // It reads those that were written in the same second as its index.
  for (const name of [".gitattributes", "README.md", "a.crlf", "src/deep/file"]) {
    const { mtimeMs, ctimeMs } = lstatSync(join(made.workspaceDir, name));
    expect([name, seconds(mtimeMs) < indexed, seconds(ctimeMs) < indexed]).toEqual([
      name,
      true,
      true,
    ]);
  }
  // A command that comes later cannot change one in the same second, either.
  expect(indexed).toBeLessThanOrEqual(seconds(Date.now()));
});

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}

test("a copy at another commit writes what differs, and nothing else", async () => {
  using made = await layered();
  const before = made.changes();
  const next = commitFiles(made.host.path, { "src/deep/file": "y\n" });
  await made.copy.prepare(next);
  const after = made.changes();
  const isChanged = after.map((time, index) => time !== before[index]);
  expect(isChanged).toEqual([false, false, false, true]);
  expect(readFileSync(join(made.workspaceDir, "src/deep/file"), "utf8")).toBe("y\n");
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("");
  expect(await made.copy.head()).toBe(next);
});

/** Names, modes and content of all files and folders but `.git`. */
function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const own = names.filter((name) => name !== ".git" && !name.startsWith(".git/"));
  return new Map(
    own.sort().map((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      const content = stats.isFile()
        ? readFileSync(path, "latin1")
        : stats.isSymbolicLink()
          ? readlinkSync(path)
          : "";
      return [name, `${stats.mode.toString(8)} ${content}`];
    }),
  );
}

/** Folders come, go and become files, a file becomes a folder, a link and a program. */
function rearrange(path: string): CommitHash {
  rmSync(join(path, "src"), { recursive: true });
  rmSync(join(path, "README.md"));
  write(path, { src: "a file now", "README.md/inside": "a folder now", "new/é/deep": "x" });
  symlinkSync("new/é", join(path, "link"));
  write(path, { "run.sh": "#!/bin/sh\n" });
  chmodSync(join(path, "run.sh"), 0o755);
  return commitFiles(path, {}, "Rearrange");
}

test("a copy that goes on from an untouched layer has the files of a checkout, without a look at the others", async () => {
  using made = await layered();
  const next = rearrange(made.host.path);
  // A look would remove it.
  writeFileSync(join(made.workspaceDir, "untracked"), "");
  const before = lstatSync(join(made.workspaceDir, "a.crlf"), { bigint: true }).ctimeNs;
  await made.copy.prepare(next, [], { maxBytes: 1_000_000 });
  expect(lstatSync(join(made.workspaceDir, "a.crlf"), { bigint: true }).ctimeNs).toBe(before);
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("?? untracked");
  expect(toolGit(made.workspaceDir, "rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
  const plain = made.plain();
  await plain.copy.prepare(next);
  const files = filesIn(made.workspaceDir);
  files.delete("untracked");
  expect(files).toEqual(filesIn(plain.workspaceDir));

  // After a command the new folders are known, and those that went are no trap.
  write(made.workspaceDir, { "new/é/.git/config": "x", "new/é/deep": "spoiled" });
  await made.copy.prepare(next);
  expect(filesIn(made.workspaceDir)).toEqual(filesIn(plain.workspaceDir));
  await made.copy.prepare(made.base);
  expect(toolGit(made.workspaceDir, "status", "--porcelain", "--ignored")).toBe("");
});

test("where attributes differ, all files are made anew from the commit", async () => {
  using made = await layered();
  const next = commitFiles(made.host.path, { ".gitattributes": "*.crlf text eol=lf\n" });
  await made.copy.prepare(next);
  expect(readFileSync(join(made.workspaceDir, "a.crlf"), "latin1")).toBe("one\ntwo\n");
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("");
});

test("how much a commit takes is what its layer notes and what differs, to the byte", async () => {
  using made = await layered();
  const next = rearrange(made.host.path);
  commitFiles(made.host.path, { large: "x".repeat(10_000) });
  const last = CommitHash.parse(toolGit(made.host.path, "rev-parse", "HEAD"));
  for (const commit of [next, last]) {
    const whole = agentsGit;
    const of = (run: GitRun) => ({ ...run, cwd: made.host.path });
    const order = { git: whole, of, commit, maxBytes: 1_000_000, sparse: undefined };
    const { bytes = 0 } = (await readTree(order)) ?? {};
    const tooLarge = made.another().prepare(commit, [], { maxBytes: bytes - 1 });
    expect(String(await errorOf(tooLarge))).toContain("take more than");
    await made.another().prepare(commit, [], { maxBytes: bytes });
  }
});

test("a layer whose commit is no longer at hand is a checkout all the same", async () => {
  using made = await layered();
  const next = commitFiles(made.host.path, { "src/deep/file": "y\n" });
  const alone = join(made.host.root, "alone");
  toolGit(made.host.root, "clone", "-q", "--depth=1", `file://${made.host.path}`, alone);
  await made.another(join(alone, ".git/objects")).prepare(next);
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("");
  expect(readFileSync(join(made.workspaceDir, "src/deep/file"), "utf8")).toBe("y\n");
});

test("a copy that was used before takes nothing for the layer's, and writes only what differs", async () => {
  using made = await layered({ isUsed: true });
  const before = made.changes();
  write(made.workspaceDir, { "src/deep/file": "spoiled\n", "src/new": "x" });
  await made.copy.prepare(made.base, [], { maxBytes: 1_000_000 });
  const isChanged = made.changes().map((time, index) => time !== before[index]);
  expect(isChanged).toEqual([false, false, true, true]);
  expect(toolGit(made.workspaceDir, "status", "--porcelain", "--ignored")).toBe("");
  expect(readFileSync(join(made.workspaceDir, "src/deep/file"), "utf8")).toBe("x\n");
});

test("after a checkout that found no room, a copy keeps its layer, and the next one writes what differs", async () => {
  using made = await layered({ isUsed: true });
  const before = made.changes();
  const next = commitFiles(made.host.path, { "src/deep/file": "y\n" });
  writeFileSync(made.full, "");
  const error = await errorOf(made.copy.prepare(next));
  expect(error?.message).toStartWith(`${made.workspaceDir} cannot grow: its disk is full, `);
  expect(made.changes()).toEqual(before);
  rmSync(made.full);
  await made.copy.prepare(next);
  const isChanged = made.changes().map((time, index) => time !== before[index]);
  expect(isChanged).toEqual([false, false, false, true]);
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("");
});

test("after a command the files are looked at, whatever its index says", async () => {
  using made = await layered();
  await made.copy.prepare(made.base);
  write(made.workspaceDir, { "README.md": "other\n", "src/new": "x" });
  toolGit(made.workspaceDir, "update-index", "--assume-unchanged", "README.md");
  await made.copy.prepare(made.base);
  expect(readFileSync(join(made.workspaceDir, "README.md"), "utf8")).toBe("Hello.\n");
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("");
});

test("a commit that takes more than the agent may is refused by the size that its layer notes", async () => {
  using made = await layered();
  const { copy, base } = made;
  expect(await errorOf(copy.prepare(base, [], { maxBytes: 1 }))).toMatchObject({
    code: "git-failed",
    message: `The files of the commit ${base} take more than \`resources.limits.disk\` allows.`,
  });
});

test("a folder in which no layer was finished is none", async () => {
  using made = await layered();
  expect(await readLayer(made.host.root)).toBeUndefined();
});
