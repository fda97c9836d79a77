// Files of LFS in the working copies of agents. Pointers and contents are made as their
// specification says, so that no git-lfs is needed.
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import type { CommitChanges } from "../../../lib/git/copy/commit-changes.ts";
import { readLayer, writeLayer } from "../../../lib/git/copy/layer.ts";
import { keepLfsContents } from "../../../lib/git/exchange/lfs-store.ts";
import { takeFile } from "../../../lib/git/exchange/take-commit.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { AgentName, type CommitHash } from "../../../lib/model/ids.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import { errorOf } from "../../support/error-of.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { copyIn } from "../../support/git/folders.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  newGoalId,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

const attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
const oidOf = (content: string) => createHash("sha256").update(content).digest("hex");
const pointerTo = (content: string) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(content)}\nsize ${content.length}\n`;

/** The place of a content in a repository, as git-lfs has it. */
function contentPath(gitDir: string, content: string): string {
  const oid = oidOf(content);
  return join(gitDir, "lfs/objects", oid.slice(0, 2), oid.slice(2, 4), oid);
}

const [large, other] = ["large\r\n".repeat(1_000), "other\n".repeat(500)];

/** A commit with files of LFS; `absent.bin` has no content here. */
async function lfsScene(initArgs: string[] = []) {
  const scene = await exchangeScene(initArgs);
  const { path } = scene;
  const store = (content: string, gitDir = join(path, ".git")) =>
    write("/", { [contentPath(gitDir, content)]: content });
  for (const content of [large, other]) store(content);
  write(path, {
    ".gitattributes": attributes,
    "large.bin": pointerTo(large),
    "deep/run.bin": pointerTo(other),
    "absent.bin": pointerTo("absent"),
    "pointer.txt": pointerTo(large),
    "plain.bin": "no pointer\n",
  });
  chmodSync(join(path, "deep/run.bin"), 0o755);
  const commit = commitFiles(path, {}, "With LFS");
  const pin = (at: CommitHash) => scene.repository.pin(instance, newGoalId(), at);
  await pin(commit);
  return { ...scene, commit, store, pin, [Symbol.dispose]: scene[Symbol.dispose] };
}

const read = (folder: string, name: string) => readFileSync(join(folder, name), "latin1");

function expectContents(folder: string): void {
  expect(read(folder, "large.bin")).toBe(large);
  expect(read(folder, "deep/run.bin")).toBe(other);
  expect(statSync(join(folder, "deep/run.bin")).mode & 0o777).toBe(0o755);
  expect(statSync(join(folder, "large.bin")).mode & 0o777).toBe(0o644);
  expect(read(folder, "absent.bin")).toBe(pointerTo("absent"));
  expect(read(folder, "pointer.txt")).toBe(pointerTo(large));
  expect(read(folder, "plain.bin")).toBe("no pointer\n");
  expect(toolGit(folder, "status", "--porcelain")).toBe("");
}

test.each(rowsOfDay([[[]], [["--object-format=sha256"]]]))(
  "contents that are here are in the workspace, where git without LFS takes them for unchanged (%j)",
  async (initArgs) => {
    using scene = await lfsScene(initArgs);
    const agent = scene.agent("coder");
    await agent.prepare(scene.commit);
    expectContents(agent.folder);
    expect(agent.copy.pointers).toEqual(["absent.bin"]);
    const { commit } = await agent.publish({ "new.txt": "new\n" });
    expect(toolGit(agent.folder, "diff", "--name-only", scene.commit, commit)).toBe("new.txt");
    expect(await scene.repository.exchange(instance).lacking(scene.commit)).toEqual([
      {
        check: "lfs",
        found:
          "A file of LFS is a pointer for agents, because this repository does not have the content: absent.bin.",
        remedy: expect.stringContaining("`git lfs pull`"),
      },
    ]);
  },
);

test("what a command has written into them is gone, and what is the same is not written again", async () => {
  using scene = await lfsScene();
  const agent = scene.agent("coder");
  await agent.prepare(scene.commit);
  const inode = () => statSync(join(agent.folder, "deep/run.bin")).ino;
  const before = inode();
  const times = statSync(join(agent.folder, "large.bin"));
  write(agent.folder, { "large.bin": large.replaceAll("a", "b") });
  execTouch(join(agent.folder, "large.bin"), times.mtime);
  await agent.prepare(scene.commit);
  expectContents(agent.folder);
  expect(inode()).toBe(before);
  rmSync(join(agent.folder, "large.bin"));
  const outside = join(scene.root, "outside");
  writeFileSync(outside, "of another");
  symlinkSync(outside, join(agent.folder, "large.bin"));
  toolGit(agent.folder, "update-index", "--assume-unchanged", "deep/run.bin");
  write(agent.folder, { "deep/run.bin": "x" });
  await agent.prepare(scene.commit);
  expectContents(agent.folder);
  expect(readFileSync(outside, "utf8")).toBe("of another");
});

function execTouch(path: string, time: Date): void {
  Bun.spawnSync(["touch", "-d", time.toISOString(), path]);
}

test("a content that comes later is there from the next grant on, and one that moved follows", async () => {
  using scene = await lfsScene();
  const agent = scene.agent("coder");
  await agent.prepare(scene.commit);
  scene.store("absent");
  await scene.pin(scene.commit);
  await agent.prepare(scene.commit);
  expect(read(agent.folder, "absent.bin")).toBe("absent");
  expect(agent.copy.pointers).toEqual([]);
  const next = commitFiles(scene.path, { "large.bin": pointerTo(other) }, "Other");
  await scene.pin(next);
  await agent.prepare(next);
  expect(read(agent.folder, "large.bin")).toBe(other);
  expect(toolGit(agent.folder, "status", "--porcelain")).toBe("");
  await agent.prepare(scene.base);
  expect(existsSync(join(agent.folder, "large.bin"))).toBe(false);
  // The person's git-lfs takes its own away.
  rmSync(join(scene.path, ".git/lfs"), { recursive: true });
  await agent.prepare(scene.commit);
  expect(read(agent.folder, "large.bin")).toBe(large);
});

test("a layer has contents, and a copy over it takes them for unchanged", async () => {
  using scene = await lfsScene();
  const folder = join(scene.root, "layer");
  const options = {
    ...{ objectsDir: scene.objectsDir, exchangeDir: "/nonexistent" },
    workspaceDir: join(folder, treeFolder),
  };
  const maker = copyIn(options);
  await maker.prepare(scene.commit, [], { maxBytes: 1_000_000 });
  await writeLayer(folder, await maker.leaveLayer());
  const before = statSync(join(options.workspaceDir, "large.bin")).ino;
  const copy = copyIn({ ...options, layer: await readLayer(folder) });
  await copy.prepare(scene.commit, [], { maxBytes: 1_000_000 });
  expectContents(options.workspaceDir);
  expect(statSync(join(options.workspaceDir, "large.bin")).ino).toBe(before);
  expect(copy.pointers).toEqual(["absent.bin"]);
  const next = commitFiles(scene.path, { "large.bin": pointerTo(other) }, "Other");
  await scene.pin(next);
  const later = copyIn({ ...options, layer: await readLayer(folder) });
  await later.prepare(next, [], { maxBytes: 1_000_000 });
  expect(read(options.workspaceDir, "large.bin")).toBe(other);
  expect(read(options.workspaceDir, "deep/run.bin")).toBe(other);
  expect(toolGit(options.workspaceDir, "status", "--porcelain")).toBe("");
});

test.each(
  rowsOfDay([
    {
      paths: ["deep/"],
      shown: ["deep/run.bin", "large.bin", "plain.bin"],
      lacking: ["absent.bin"],
    },
    { paths: ["deep/*.bin"], shown: ["deep/run.bin"], lacking: [] },
  ]),
)("a part of the repository has its contents alone: %p", async ({ paths, shown, lacking }) => {
  using scene = await lfsScene();
  const agent = scene.agent("coder", undefined, paths);
  const whole = pointerTo("absent").length;
  for (let grants = 0; grants < 2; grants++) {
    await agent.prepare(scene.commit);
    const names = readdirSync(agent.folder, { recursive: true, encoding: "utf8" });
    const contents = names.filter(
      (name) => name.endsWith(".bin") && statSync(join(agent.folder, name)).size !== whole,
    );
    expect(contents.toSorted()).toEqual([...shown]);
    expect(read(agent.folder, "deep/run.bin")).toBe(other);
    expect(agent.copy.pointers).toEqual([...lacking]);
    expect(toolGit(agent.folder, "status", "--porcelain")).toBe("");
    write(agent.folder, { "large.bin": "other\n", "deep/run.bin": "other\n" });
  }
});

test("contents count against the limit of the disk, however often a commit names them", async () => {
  using scene = await lfsScene();
  const huge = "x".repeat(300_000);
  scene.store(huge);
  const names = ["a", "b", "c"].map((name) => [`${name}.bin`, pointerTo(huge)]);
  const commit = commitFiles(scene.path, Object.fromEntries(names), "Three times");
  await scene.pin(commit);
  const { copy } = scene.agent("coder");
  expect(await errorOf(copy.prepare(commit, [], { maxBytes: 700_000 }))).toMatchObject({
    message: expect.stringContaining("take more than `resources.limits.disk` allows"),
  });
  await copy.prepare(commit, [], { maxBytes: 1_500_000 });
  await copy.prepare(commit, [], { maxBytes: 1_500_000 });
  expect(await scene.repository.takesMoreThan(commit, 700_000)).toBe(true);
  expect(await scene.repository.takesMoreThan(commit, 1_500_000)).toBe(false);
});

test("a submodule has its contents as well, from where its own git-lfs keeps them", async () => {
  using scene = await lfsScene();
  const part = join(scene.root, "part");
  write(part, { ".gitattributes": attributes, "a.bin": pointerTo("in part") });
  git(part, "init", "-q", "-b", "main");
  commitFiles(part, {});
  git(scene.path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "../part", "part");
  scene.store("in part", join(scene.path, ".git/modules/part"));
  const commit = commitFiles(scene.path, {}, "With a part");
  await scene.pin(commit);
  const agent = scene.agent("coder");
  await agent.prepare(commit);
  expect(read(agent.folder, "part/a.bin")).toBe("in part");
  expectContents(agent.folder);
});

test.each<[string, (scene: { path: string; root: string }) => string]>([
  ["an absolute path", ({ root }) => join(root, "elsewhere")],
  [
    "from the repository's own folder",
    ({ path, root }) => relative(join(path, ".git"), join(root, "elsewhere")),
  ],
  ["from the home of the person", () => "~/elsewhere"],
])("`lfs.storage` is where contents are: %s", async (_, storageIn) => {
  using scene = await lfsScene();
  rmSync(join(scene.path, ".git/lfs"), { recursive: true });
  git(scene.path, "config", "lfs.storage", storageIn(scene));
  write("/", { [contentPath(scene.root, "absent").replace("/lfs/", "/elsewhere/")]: "absent" });
  const env = { ...hostEnv, HOME: scene.root };
  const repository = await HostRepository.open(scene.path, { env });
  await repository.pin(instance, newGoalId(), scene.commit);
  const agent = scene.agent("coder");
  await agent.prepare(scene.commit);
  expect(read(agent.folder, "absent.bin")).toBe("absent");
});

type Agent = ReturnType<Awaited<ReturnType<typeof lfsScene>>["agent"]>;

/** What a git-lfs of the agent's image leaves, and commits. */
function commitContents(agent: Agent, contents: Record<string, string>): CommitHash {
  for (const content of Object.values(contents))
    write("/", { [contentPath(join(agent.folder, ".git"), content)]: content });
  const pointers = Object.entries(contents).map(([name, content]) => [name, pointerTo(content)]);
  return commitFiles(agent.folder, Object.fromEntries(pointers), "With contents", toolGit);
}

/** Publishes as the cub does. Resolves with the files whose contents would be lost. */
async function publishJudged(agent: Agent, commit: CommitHash, base: CommitHash, start = base) {
  const judge = async (changes: CommitChanges) => {
    const lost = await changes.lostPointers();
    return lost.length === 0 ? undefined : lost.map(({ path }) => path);
  };
  return await agent.copy.publish(commit, start, { base, judge });
}

test.each(rowsOfDay([[[]], [["--object-format=sha256"]]]))(
  "a new content comes with its commit, to other agents and to the person (%j)",
  async (initArgs) => {
    using scene = await lfsScene(initArgs);
    const [one, two, three] = ["one", "two", "three"].map((name) => scene.agent(name));
    if (one === undefined || two === undefined || three === undefined) throw new Error("No agents");
    await one.prepare(scene.commit);
    // An earlier version of it, and one that was in git itself before.
    commitContents(one, { "new.bin": "first" });
    const first = commitContents(one, { "new.bin": "second", "plain.bin": "no pointer\n" });
    expect(await publishJudged(one, first, scene.commit)).toBeUndefined();
    scene.record(first, AgentName.parse("one"));
    await two.prepare(first);
    expect(read(two.folder, "new.bin")).toBe("second");
    expect(read(two.folder, "plain.bin")).toBe("no pointer\n");
    expect(toolGit(two.folder, "status", "--porcelain")).toBe("");
    expect(two.copy.pointers).toEqual(["absent.bin"]);
    // It builds on what no one has fetched yet.
    const next = commitFiles(two.folder, { "notes.txt": "notes" }, "Notes", toolGit);
    expect(await publishJudged(two, next, first, scene.commit)).toBeUndefined();
    scene.record(next, AgentName.parse("two"));
    const gitDir = join(scene.path, ".git");
    const { imported, broken } = await scene.fetch();
    expect([imported.length, broken]).toEqual([2, []]);
    for (const content of ["first", "second", "no pointer\n"])
      expect(readFileSync(contentPath(gitDir, content), "utf8")).toBe(content);
    // Git itself has none of them.
    const objects = git(scene.path, "cat-file", "--batch-all-objects", "--batch-check");
    const length = "content of Git LFS\n".length;
    expect(objects).not.toContain(` blob ${length + "second".length}\n`);
    await three.prepare(next);
    expect(read(three.folder, "new.bin")).toBe("second");
    expect(three.copy.pointers).toEqual(["absent.bin"]);
  },
);

/** What a small pack unpacks to. */
const zeros = "\0".repeat(2_000_000);

/** A commit with them that is published, and that no one has fetched yet. */
async function zerosScene() {
  const scene = await lfsScene();
  const one = scene.agent("one");
  await one.prepare(scene.commit);
  const commit = commitContents(one, { "zeros.bin": zeros });
  expect(await publishJudged(one, commit, scene.commit)).toBeUndefined();
  const places = () =>
    readdirSync(scene.root, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.includes(oidOf(zeros)),
    );
  return { ...scene, one, zeros: commit, places, [Symbol.dispose]: scene[Symbol.dispose] };
}

test("what another agent brings is counted before it is written to a disk", async () => {
  using scene = await zerosScene();
  const before = scene.places();
  const { copy } = scene.agent("two");
  expect(await errorOf(copy.prepare(scene.zeros, [], { maxBytes: 1_500_000 }))).toMatchObject({
    message: expect.stringContaining("take more than `resources.limits.disk` allows"),
  });
  expect(scene.places()).toEqual(before);
});

test("what unpacks to more than a fetch may bring is not written for the person", async () => {
  using scene = await zerosScene();
  const { place } = scene.repository;
  const objectsDir = join(scene.root, "taken");
  write(objectsDir, { "info/alternates": `${place.objectsDir}\n` });
  const git = { path: "git", env: process.env };
  const [pack = ""] = readdirSync(scene.one.packs);
  await takeFile({ git, gitDir: place.gitDir, objectsDir }, join(scene.one.packs, pack));
  const before = scene.places();
  const revisions = `${scene.zeros}\n^${scene.commit}\n`;
  const keep = (maxBytes: number) =>
    keepLfsContents({ git, place, instance, path: objectsDir }, [scene.zeros], {
      ...{ objectsDir, revisions, maxBytes },
    });
  expect(await errorOf(keep(zeros.length - 1))).toMatchObject({
    message: expect.stringContaining("contents of Git LFS"),
  });
  expect(scene.places()).toEqual(before);
  await keep(zeros.length);
  expect(scene.places().length).toBeGreaterThan(before.length);
});

test("a content that is another one, a link or missing is lost, and nothing is published", async () => {
  using scene = await lfsScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.commit);
  const commit = commitContents(agent, { "a.bin": "aaaa", "b.bin": "bbbb", "c.bin": "cccc" });
  const placeOf = (content: string) => contentPath(join(agent.folder, ".git"), content);
  rmSync(placeOf("aaaa"));
  writeFileSync(placeOf("bbbb"), "evil");
  const secret = join(scene.root, "secret");
  writeFileSync(secret, "cccc");
  rmSync(placeOf("cccc"));
  symlinkSync(secret, placeOf("cccc"));
  expect(await publishJudged(agent, commit, scene.commit)).toEqual(["a.bin", "b.bin", "c.bin"]);
  expect(readdirSync(agent.packs)).toEqual([]);
});

test("the name of a content that only the person has gives it to no one", async () => {
  using scene = await lfsScene();
  scene.store("hidden");
  const agent = scene.agent("one");
  await agent.prepare(scene.commit);
  // As a cub that a command has taken over would: nothing has judged the commit.
  const { commit } = await agent.publish({ "new.bin": pointerTo("hidden") });
  const { imported } = await scene.fetch();
  expect(imported.map((each) => each.commit)).toEqual([commit]);
  const later = scene.agent("two");
  await later.prepare(commit);
  expect(read(later.folder, "new.bin")).toBe(pointerTo("hidden"));
});

test.each(
  rowsOfDay(
    [
      ["a path in the place of the hash", `oid sha256:${"../".repeat(20)}etc/passwd`, "size 5"],
      ["a hash of another kind", `oid sha512:${"a".repeat(64)}`, "size 5"],
      ["no size", `oid sha256:${oidOf(large)}`, "size -1"],
      ["another size than the content", `oid sha256:${oidOf(large)}`, "size 1"],
      ["a size beyond all disks", `oid sha256:${oidOf(large)}`, `size ${"9".repeat(30)}`],
    ],
    2,
  ),
)("a pointer with %s stays as it is", async (_, oid, size) => {
  using scene = await lfsScene();
  const text = `version https://git-lfs.github.com/spec/v1\n${oid}\n${size}\n`;
  const commit = commitFiles(scene.path, { "evil.bin": text }, "Evil");
  await scene.pin(commit);
  const agent = scene.agent("coder");
  await agent.prepare(commit);
  expect(read(agent.folder, "evil.bin")).toBe(text);
  expect(toolGit(agent.folder, "status", "--porcelain")).toBe("");
});

test("what is no regular file among the contents is not read", async () => {
  using scene = await lfsScene();
  const secret = join(scene.root, "secret");
  writeFileSync(secret, "secret");
  const path = contentPath(join(scene.path, ".git"), "absent");
  write("/", { [`${path}.x`]: "" });
  symlinkSync(secret, path);
  await scene.pin(scene.commit);
  const agent = scene.agent("coder");
  await agent.prepare(scene.commit);
  expect(read(agent.folder, "absent.bin")).toBe(pointerTo("absent"));
});

test("what is shown after a store was given to the API is the API's to add to", async () => {
  using scene = await exchangeScene();
  await scene.repository.openToApi(instance);
  write(scene.path, { ".gitattributes": attributes, "large.bin": pointerTo(large) });
  write("/", { [contentPath(join(scene.path, ".git"), large)]: large });
  const part = join(scene.root, "part");
  write(part, { part: "part\n" });
  git(part, "init", "-q", "-b", "main");
  commitFiles(part, {});
  git(scene.path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "../part", "part");
  const commit = commitFiles(scene.path, {}, "With a part and LFS");
  await scene.repository.pin(instance, newGoalId(), commit);
  const owner = (...below: string[]) => statSync(join(scene.objectsDir, ...below)).uid;
  const oid = oidOf(large);
  const folders = [["modules"], ["modules", "pack"], ["lfs"], ["lfs", oid.slice(0, 2)]];
  for (const folder of folders) expect(owner(...folder)).toBe(owner());
});
