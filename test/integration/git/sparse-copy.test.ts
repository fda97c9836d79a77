// A working copy that has a part of a commit's files (`workspace.paths`).
import { expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { readLayer, writeLayer } from "../../../lib/git/copy/layer.ts";
import { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import { errorOf } from "../../support/error-of.ts";
import { copyIn } from "../../support/git/folders.ts";
import {
  commitFiles,
  git,
  sampleRepository,
  temporaryFolder,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";

const files = {
  "services/door/key": "key\n",
  "services/door/deep/lock": "lock\n",
  "services/vault/plan": "plan\n",
  "services/shared": "shared\n",
  "vault/deep/gold": "gold\n",
  "vault/notes.md": "notes\n",
};

const door = ["services/door/"];
const doorAndNotes = ["services/door/", "*.md"];
const ofDoor = [".gitignore", "README.md", "services/door/deep/lock", "services/door/key"];
const shownFor = new Map([
  [door, [...ofDoor, "services/shared"]],
  [doorAndNotes, [...ofDoor, "services/shared", "vault/notes.md"]],
]);

async function sparseCopy(paths: string[], { keepsIgnored = false, more = {} } = {}) {
  const host = sampleRepository();
  const base = commitFiles(host.path, { ...files, ...more });
  const folder = join(host.root, "work");
  const options = {
    objectsDir: join(host.path, ".git/objects"),
    exchangeDir: join(host.root, "exchange"),
    workspaceDir: folder,
    keepsIgnored,
    sparse: new SparsePaths(paths),
  };
  const copy = copyIn(options);
  return { host, base, folder, copy, options, [Symbol.dispose]: host[Symbol.dispose] };
}

/** All but the repository, sorted. */
function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => !/^\.git(?:\/|$)/.test(name) && !lstatSync(join(folder, name)).isDirectory())
    .toSorted();
}

test.each([...shownFor])(
  "%p: a copy has these files, and commits them all",
  async (paths, shown) => {
    using made = await sparseCopy(paths);
    await made.copy.prepare(made.base, [], { maxBytes: 1e6 });
    expect(filesIn(made.folder)).toEqual(shown);
    expect(toolGit(made.folder, "status", "--porcelain")).toBe("");
    const isCone = toolGit(made.folder, "config", "core.sparseCheckoutCone");
    expect(isCone).toBe(String(paths === door));
    const commit = commitFiles(made.folder, { "services/door/key": "new\n" }, "Turn", toolGit);
    expect(toolGit(made.folder, "diff", "--name-only", made.base, commit)).toBe(
      "services/door/key",
    );
    expect(toolGit(made.folder, "ls-tree", "-r", "--name-only", commit)).toContain(
      "vault/deep/gold",
    );
  },
);

const cases = [...shownFor.keys()].flatMap((paths) => [
  { paths, keepsIgnored: false },
  { paths, keepsIgnored: true },
]);

test.each(cases)(
  "what a command leaves where nothing is goes: %p",
  async ({ paths, keepsIgnored }) => {
    using made = await sparseCopy(paths, { keepsIgnored });
    using elsewhere = temporaryFolder();
    const { folder, copy, base } = made;
    await copy.prepare(base);
    const shown = shownFor.get(paths) ?? [];
    write(folder, { "vault/deep/gold": "gold\n", "services/vault/plan": "other\n", "vault/x": "" });
    await copy.prepare(base);
    expect(filesIn(folder)).toEqual(shown);

    toolGit(folder, "sparse-checkout", "disable");
    expect(filesIn(folder)).toContain("vault/deep/gold");
    await copy.prepare(base);
    expect(filesIn(folder)).toEqual(shown);

    write(elsewhere.path, { "deep/gold": "x", vault: "x" });
    write(folder, { ".gitignore": "*\n" });
    rmSync(join(folder, "vault"), { recursive: true, force: true });
    symlinkSync(elsewhere.path, join(folder, "vault"));
    renameSync(join(folder, "services"), join(folder, "moved"));
    symlinkSync(elsewhere.path, join(folder, "services"));
    await copy.prepare(base);
    expect(filesIn(folder)).toEqual(shown);
    expect(filesIn(elsewhere.path)).toEqual(["deep/gold", "vault"]);
    expect(toolGit(folder, "status", "--porcelain")).toBe("");
  },
);

test("a file that git ignores stays where its agent keeps such, unless a commit has it elsewhere", async () => {
  using made = await sparseCopy(door, { keepsIgnored: true });
  const { folder, copy, base, host } = made;
  await copy.prepare(base);
  write(folder, { "services/door/cache/a": "a", "vault/cache/b": "b" });
  await copy.prepare(base);
  expect(existsSync(join(folder, "services/door/cache/a"))).toBe(true);
  write(folder, { "services/door/cache/a": "a", "other/cache/b": "b" });
  write(host.path, { "other/cache/b": "from the commit" });
  git(host.path, "add", "--force", "other/cache/b");
  const next = commitFiles(host.path, {}, "Add what is ignored");
  await copy.prepare(next);
  expect(existsSync(join(folder, "other"))).toBe(false);
  expect(toolGit(folder, "status", "--porcelain")).toBe("");
});

test("the next commit brings and takes files of the part alone", async () => {
  using made = await sparseCopy(doorAndNotes);
  await made.copy.prepare(made.base);
  git(made.host.path, "rm", "-q", "vault/notes.md");
  const more = { "vault/deep/gold": "more\n", "services/door/new": "", "a/b/c.md": "" };
  const next = commitFiles(made.host.path, more);
  await made.copy.prepare(next);
  const expected = [...ofDoor, "services/shared", "services/door/new", "a/b/c.md"];
  expect(filesIn(made.folder)).toEqual(expected.toSorted());
  await made.copy.prepare(made.base);
  expect(filesIn(made.folder)).toEqual(shownFor.get(doorAndNotes) ?? []);
  expect(await made.copy.head()).toBe(made.base);
});

test("attributes count and ignored files are ignored where their own files are not in the part", async () => {
  const more = {
    ".gitattributes": "*.txt text eol=crlf\n",
    "src/.gitignore": "*.log\n",
    "src/a.txt": "one\ntwo\n",
    "src/b.c": "b\n",
  };
  using made = await sparseCopy(["*.txt"], { more });
  await made.copy.prepare(made.base);
  expect(filesIn(made.folder)).toEqual(["src/a.txt"]);
  expect(readFileSync(join(made.folder, "src/a.txt"), "latin1")).toBe("one\r\ntwo\r\n");
  write(made.folder, { "src/x.log": "x", "src/a.txt": "one\r\ntwo\r\nthree\r\n" });
  expect(toolGit(made.folder, "status", "--porcelain")).toBe("M src/a.txt");
  const plain = commitFiles(made.host.path, { ".gitattributes": "*.txt -text\n" });
  await made.copy.prepare(made.base);
  await made.copy.prepare(plain);
  expect(readFileSync(join(made.folder, "src/a.txt"), "latin1")).toBe("one\ntwo\n");
});

test("the limit of the disk counts what is checked out", async () => {
  const large = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`vault/large/${index}`, "x".repeat(100_000)]),
  );
  using made = await sparseCopy(door, { more: large });
  const { copy, base, options } = made;
  await copy.prepare(base, [], { maxBytes: 200_000 });
  expect(filesIn(made.folder)).toEqual(shownFor.get(door) ?? []);
  const refused = { message: expect.stringContaining("take more than `resources.limits.disk`") };
  expect(await errorOf(copy.prepare(base, [], { maxBytes: 10_000 }))).toMatchObject(refused);
  const whole = copyIn({ ...options, sparse: undefined });
  expect(await errorOf(whole.prepare(base, [], { maxBytes: 200_000 }))).toMatchObject(refused);
});

test("a part in which the commit has no file is a part without files", async () => {
  using made = await sparseCopy(["nowhere/*.ts"]);
  await made.copy.prepare(made.base);
  expect(filesIn(made.folder)).toEqual([]);
  const commit = commitFiles(made.folder, { "nowhere/one.ts": "1;\n" }, "First", toolGit);
  expect(toolGit(made.folder, "diff", "--name-only", made.base, commit)).toBe("nowhere/one.ts");
});

test("names with blanks, brackets and letters beyond ASCII are found", async () => {
  const more = { "a b/ü/[id]/x.ts": "x", "a b/ü/i/x.ts": "x", "größe.md": "x", "gr.md": "x" };
  using made = await sparseCopy(["a b/ü/[id]/", "größe.md"], { more });
  await made.copy.prepare(made.base);
  const { folder } = made;
  expect(filesIn(folder).filter((name) => !/^(?:\.git|README)/.test(name))).toEqual(
    ["a b/ü/[id]/x.ts", "gr.md", "größe.md"].toSorted(),
  );
});

async function layerOf(made: Awaited<ReturnType<typeof sparseCopy>>, paths?: readonly string[]) {
  const { host, options, base } = made;
  const folder = join(host.root, "layer");
  const workspaceDir = join(folder, treeFolder);
  const sparse = paths && new SparsePaths(paths);
  const maker = copyIn({ ...options, workspaceDir, sparse });
  await maker.prepare(base, [], { maxBytes: 1e6 });
  await writeLayer(folder, await maker.leaveLayer());
  return { layer: await readLayer(folder), workspaceDir };
}

test("a worker begins with a layer of its part, whose paths may have another order", async () => {
  using made = await sparseCopy(doorAndNotes);
  const { base, options } = made;
  const { layer, workspaceDir } = await layerOf(made, doorAndNotes.toReversed());
  const copy = copyIn({ ...options, workspaceDir, layer });
  const key = join(workspaceDir, "services/door/key");
  const before = lstatSync(key, { bigint: true }).ctimeNs;
  await copy.prepare(base, [], { maxBytes: 1e6 });
  expect(lstatSync(key, { bigint: true }).ctimeNs).toBe(before);
  expect(filesIn(workspaceDir)).toEqual(shownFor.get(doorAndNotes) ?? []);
  expect(toolGit(workspaceDir, "status", "--porcelain")).toBe("");
  write(workspaceDir, { "vault/deep/gold": "gold\n" });
  mkdirSync(join(workspaceDir, "services/vault"));
  await copy.prepare(base);
  expect(filesIn(workspaceDir)).toEqual(shownFor.get(doorAndNotes) ?? []);
});

test.each([
  { of: undefined, isWritten: false },
  { of: ["vault/"], isWritten: true },
])(
  "a layer of other files is cleared; its files are written again: %p",
  async ({ of, isWritten }) => {
    using made = await sparseCopy(doorAndNotes);
    const { layer, workspaceDir } = await layerOf(made, of);
    const copy = copyIn({ ...made.options, workspaceDir, layer });
    const kept = join(workspaceDir, "README.md");
    const before = lstatSync(kept, { bigint: true }).ctimeNs;
    await copy.prepare(made.base, [], { maxBytes: 1e6 });
    expect(lstatSync(kept, { bigint: true }).ctimeNs !== before).toBe(isWritten);
    expect(filesIn(workspaceDir)).toEqual(shownFor.get(doorAndNotes) ?? []);
    expect(toolGit(workspaceDir, "status", "--porcelain")).toBe("");
  },
);
