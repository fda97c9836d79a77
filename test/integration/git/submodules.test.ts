// The submodules of a goal's commit in the working copies of agents: what the person's repository
// has of them, and nothing else.
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
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
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import { errorOf } from "../../support/error-of.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { copyIn, foldersOf } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  newGoalId,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";

const local = ["-c", "protocol.file.allow=always"];

function newRepository(root: string, name: string, files: Record<string, string>): string {
  const path = join(root, name);
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main");
  commitFiles(path, files);
  return path;
}

function addSubmodule(path: string, url: string, at: string): void {
  git(path, ...local, "submodule", "add", "-q", url, at);
}

/** A repository with `lib/door`, which has `lock`; all of them are there. */
async function sceneWithSubmodules() {
  const scene = await exchangeScene();
  const { root, path } = scene;
  const lock = newRepository(root, "lock", { "lock.txt": "lock 1\n" });
  const door = newRepository(root, "door", {
    "door.txt": "door 1\n",
    "src/deep.txt": "deep\n",
    "a.dos": "one\n",
    ".gitattributes": "*.dos text eol=crlf\n",
  });
  addSubmodule(door, lock, "lock");
  git(door, "commit", "-q", "-m", "With a lock");
  addSubmodule(path, "../door", "lib/door");
  git(path, ...local, "submodule", "update", "-q", "--init", "--recursive");
  const withDoor = commitFiles(path, {}, "With a door");
  const pin = async (commit: CommitHash) =>
    await scene.repository.pin(instance, newGoalId(), commit);
  /** Commits something in the source of the submodule, and takes the person's clone of it there. */
  const moveDoor = (files: Record<string, string>) => {
    const commit = commitFiles(door, files, "Move the door");
    git(join(path, "lib/door"), "fetch", "-q");
    git(join(path, "lib/door"), "checkout", "-q", commit);
    return commitFiles(path, {}, "Move the door");
  };
  const lacking = async (commit: CommitHash) =>
    (await scene.repository.exchange(instance).lacking(commit)).map(({ found }) => found);
  return {
    ...{ ...scene, lock, door, withDoor, pin, moveDoor, lacking },
    [Symbol.dispose]: scene[Symbol.dispose],
  };
}

const read = (folder: string, name: string) => readFileSync(join(folder, name), "latin1");

function expectDoor(folder: string): void {
  expect(read(folder, "lib/door/door.txt")).toBe("door 1\n");
  expect(read(folder, "lib/door/src/deep.txt")).toBe("deep\n");
  expect(read(folder, "lib/door/a.dos")).toBe("one\r\n");
  expect(read(folder, "lib/door/lock/lock.txt")).toBe("lock 1\n");
  expect(toolGit(folder, "status", "--porcelain")).toBe("");
  const states = toolGit(folder, "submodule", "status", "--recursive").split("\n");
  expect(states.map((line) => line.replace(/^ ?[0-9a-f]+/, "").trim())).toEqual([
    expect.stringContaining("lib/door"),
    expect.stringContaining("lib/door/lock"),
  ]);
}

test("submodules, and theirs, are at their commits with their history", async () => {
  using scene = await sceneWithSubmodules();
  await scene.pin(scene.withDoor);
  expect(await scene.lacking(scene.withDoor)).toEqual([]);
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
  const door = join(agent.folder, "lib/door");
  expect(toolGit(door, "log", "--format=%s")).toBe("With a lock\nChange");
  expect(
    toolGit(agent.folder, "submodule", "foreach", "-q", "--recursive", "pwd").split("\n"),
  ).toEqual([door, join(door, "lock")]);
});

test("what a command leaves in a submodule is gone before the next grant, and files that are the same stay", async () => {
  using scene = await sceneWithSubmodules();
  await scene.pin(scene.withDoor);
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  const door = join(agent.folder, "lib/door");
  toolGit(door, "config", "core.fsmonitor", `touch '${join(scene.root, "pwned")}'`);
  toolGit(agent.folder, "config", "submodule.lib/door.update", "!false");
  write(door, { "door.txt": "other\n", left: "x", "lock/left": "x", "lock/lock.txt": "other" });
  rmSync(join(door, "src"), { recursive: true });
  symlinkSync("/etc", join(door, "src"));
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
  expect(readdirSync(door).toSorted()).toEqual([
    ".git",
    ".gitattributes",
    ".gitmodules",
    "a.dos",
    "door.txt",
    "lock",
    "src",
  ]);
  expect(toolGit(door, "config", "--list", "--local")).not.toContain("fsmonitor");
  expect(existsSync(join(scene.root, "pwned"))).toBe(false);
});

test.each(["a link to the outside", "a file", "nothing"])(
  "%s in the place of a submodule, or of the folder above, is replaced",
  async (what) => {
    using scene = await sceneWithSubmodules();
    await scene.pin(scene.withDoor);
    const agent = scene.agent("coder");
    await agent.prepare(scene.withDoor);
    const outside = join(scene.root, "outside");
    write(outside, { kept: "x", "door/kept": "x" });
    for (const place of ["lib/door/lock", "lib/door", "lib"]) {
      const path = join(agent.folder, place);
      rmSync(path, { recursive: true });
      if (what === "a file") write(agent.folder, { [place]: "x" });
      else if (what !== "nothing") symlinkSync(outside, path);
      await agent.prepare(scene.withDoor);
      expectDoor(agent.folder);
    }
    expect([read(outside, "kept"), read(outside, "door/kept")]).toEqual(["x", "x"]);
  },
);

test("a submodule follows its commits, and goes without a rest where there is none", async () => {
  using scene = await sceneWithSubmodules();
  const moved = scene.moveDoor({ "door.txt": "door 2\n", "new.txt": "new\n" });
  git(scene.path, "rm", "-q", "-r", "lib/door");
  rmSync(join(scene.path, "lib"), { recursive: true, force: true });
  const files = commitFiles(scene.path, { "lib/door/own.txt": "own\n" }, "A folder of its own");
  for (const commit of [scene.withDoor, moved, files]) await scene.pin(commit);
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
  await agent.prepare(moved);
  expect(read(agent.folder, "lib/door/door.txt")).toBe("door 2\n");
  expect(read(agent.folder, "lib/door/new.txt")).toBe("new\n");
  expect(toolGit(agent.folder, "status", "--porcelain")).toBe("");
  await agent.prepare(files);
  expect(readdirSync(join(agent.folder, "lib/door"))).toEqual(["own.txt"]);
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
  await agent.prepare(scene.base);
  expect(existsSync(join(agent.folder, "lib"))).toBe(false);
});

test("a layer has submodules, and a copy over it looks at none of their files", async () => {
  using scene = await sceneWithSubmodules();
  const moved = scene.moveDoor({ "door.txt": "door 2\n" });
  for (const commit of [scene.withDoor, moved]) await scene.pin(commit);
  const folder = join(scene.root, "layer");
  const options = {
    ...{ objectsDir: scene.objectsDir, exchangeDir: "/nonexistent" },
    workspaceDir: join(folder, treeFolder),
  };
  const maker = copyIn(options);
  await maker.prepare(scene.withDoor, [], { maxBytes: 1_000_000 });
  await writeLayer(folder, await maker.leaveLayer());
  expect(existsSync(join(options.workspaceDir, "lib/door/.git"))).toBe(false);
  const copy = copyIn({ ...options, layer: await readLayer(folder) });
  // A look would remove it.
  write(options.workspaceDir, { "lib/door/lock/untracked": "" });
  await copy.prepare(scene.withDoor, [], { maxBytes: 1_000_000 });
  rmSync(join(options.workspaceDir, "lib/door/lock/untracked"));
  expectDoor(options.workspaceDir);
  const other = copyIn({ ...options, layer: await readLayer(folder) });
  await other.prepare(moved, [], { maxBytes: 1_000_000 });
  expect(read(options.workspaceDir, "lib/door/door.txt")).toBe("door 2\n");
  expect(toolGit(options.workspaceDir, "status", "--porcelain")).toBe("");
});

test("the files of submodules count against the limit of the disk", async () => {
  using scene = await sceneWithSubmodules();
  const moved = scene.moveDoor({ large: "x".repeat(300_000) });
  await scene.pin(moved);
  const { copy } = scene.agent("coder");
  expect(await errorOf(copy.prepare(moved, [], { maxBytes: 200_000 }))).toMatchObject({
    message: expect.stringContaining("take more than `resources.limits.disk` allows"),
  });
  await copy.prepare(moved, [], { maxBytes: 500_000 });
});

test("how much a commit takes on disks is known with its submodules, and so is the store", async () => {
  using scene = await sceneWithSubmodules();
  const moved = scene.moveDoor({ large: randomBytes(300_000).toString("latin1") });
  const { repository } = scene;
  expect(await repository.takesMoreThan(moved, 200_000)).toBe(true);
  expect(await repository.takesMoreThan(moved, 600_000)).toBe(false);
  expect(await repository.sizeOf(moved)).toBeGreaterThan(300_000);
  expect(await repository.sizeOf(moved, new SparsePaths(["*.md"]))).toBeLessThan(100_000);
  expect(await repository.sizeOf(moved, new SparsePaths(["lib/"]))).toBeGreaterThan(300_000);
  await scene.pin(moved);
  expect((await repository.exchange(instance).shown())?.bytes).toBeGreaterThan(300_000);
});

test.each([[["lib/"]], [["lib/", "README.md"]]])(
  "with the paths %p an agent has the submodules that they name, whatever it was checked out over",
  async (paths) => {
    using scene = await sceneWithSubmodules();
    addSubmodule(scene.path, "../lock", "top");
    addSubmodule(scene.path, "../lock", "other/lock");
    const commit = commitFiles(scene.path, {}, "More submodules");
    await scene.pin(scene.withDoor);
    await scene.pin(commit);
    const { root, objectsDir, exchangeDir } = scene;
    const folder = join(root, "layer");
    const whole = copyIn({ objectsDir, exchangeDir, workspaceDir: join(folder, treeFolder) });
    await whole.prepare(commit);
    expect(read(join(folder, treeFolder), "top/lock.txt")).toBe("lock 1\n");
    await writeLayer(folder, await whole.leaveLayer());
    const over = join(root, "over");
    cpSync(join(folder, treeFolder), over, { recursive: true, preserveTimestamps: true });
    const sparse = new SparsePaths(paths);
    const layer = await readLayer(folder);
    const layered = copyIn({ objectsDir, exchangeDir, workspaceDir: over, sparse, layer });
    const plain = join(root, "plain");
    const first = copyIn({ objectsDir, exchangeDir, workspaceDir: plain, sparse });
    for (const at of [commit, scene.withDoor, commit])
      for (const [copy, place] of [
        [layered, over],
        [first, plain],
      ] as const) {
        await copy.prepare(at);
        expect(read(place, "lib/door/lock/lock.txt")).toBe("lock 1\n");
        expect(toolGit(place, "status", "--porcelain")).toBe("");
        for (const name of ["top/lock.txt", "other/lock/lock.txt"])
          expect(existsSync(join(place, name))).toBe(false);
        expect(copy.lacking).toEqual([]);
      }
  },
);

test("how far the packing of a submodule is, is said", async () => {
  using scene = await sceneWithSubmodules();
  const moved = scene.moveDoor({ a: "a", b: "b", c: "c" });
  const objects = git(scene.door, "rev-list", "--objects", "HEAD").split("\n").length;
  const said: unknown[] = [];
  await scene.repository
    .exchange(instance)
    .make({ writers: [agentName], onProgress: (news) => said.push(news) });
  expect(said).toContainEqual({ what: "Writing objects", done: objects, of: objects });
  await scene.pin(moved);
});

test("a damaged clone of a submodule is named, leaves nothing half made, and a new one is as good as any", async () => {
  using scene = await sceneWithSubmodules();
  const lost = git(scene.door, "rev-parse", "HEAD:door.txt");
  const clone = join(scene.path, ".git/modules/lib/door");
  rmSync(join(clone, "objects", lost.slice(0, 2), lost.slice(2)));
  const make = () => scene.repository.exchange(instance).make({ writers: [agentName] });
  const error = await make().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "git-failed",
    message: expect.stringMatching(new RegExp(`^The submodule lib/door: .*${lost}`, "s")),
    hint: expect.stringContaining("`git submodule update --init lib/door`"),
  });
  expect(existsSync(join(scene.path, ".git/sett/packing"))).toBe(false);
  git(scene.path, "submodule", "deinit", "-q", "lib/door");
  renameSync(clone, join(scene.root, "away"));
  git(scene.path, ...local, "submodule", "update", "-q", "--init", "lib/door");
  git(scene.path, ...local, "submodule", "update", "-q", "--init", "--recursive");
  await make();
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
});

test("a submodule that is not here is an empty folder, and a sentence names it", async () => {
  using scene = await sceneWithSubmodules();
  rmSync(join(scene.path, ".git/modules/lib/door/modules"), { recursive: true });
  await scene.pin(scene.withDoor);
  expect(await scene.lacking(scene.withDoor)).toEqual([
    "A submodule is an empty folder for agents: lib/door/lock (this repository has no clone of it).",
  ]);
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  expect(readdirSync(join(agent.folder, "lib/door/lock"))).toEqual([]);
  expect(agent.copy.lacking.map(({ path }) => path)).toEqual(["lib/door/lock"]);
  rmSync(join(scene.path, ".git/modules"), { recursive: true });
  expect(await scene.lacking(scene.withDoor)).toEqual([
    "A submodule is an empty folder for agents: lib/door (this repository has no clone of it).",
  ]);
});

test("a commit that the clone of the submodule lacks is named", async () => {
  using scene = await sceneWithSubmodules();
  git(scene.path, "update-index", "--cacheinfo", `160000,${"1".repeat(40)},lib/door`);
  git(scene.path, "commit", "-q", "-m", "Elsewhere");
  const elsewhere = CommitHash.parse(git(scene.path, "rev-parse", "HEAD"));
  expect(await scene.lacking(elsewhere)).toEqual([
    "A submodule is an empty folder for agents: lib/door (its clone here does not have the commit).",
  ]);
  await scene.pin(elsewhere);
  const agent = scene.agent("coder");
  await agent.prepare(elsewhere);
  expect(readdirSync(join(agent.folder, "lib/door"))).toEqual([]);
  // What the person fetches later is there from the next goal on.
  await scene.pin(scene.withDoor);
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
});

test("a repository in the folder itself is as good", async () => {
  using scene = await sceneWithSubmodules();
  const door = join(scene.path, "lib/door");
  const modules = join(scene.path, ".git/modules/lib/door");
  git(door, "config", "--unset", "core.worktree");
  rmSync(join(door, ".git"));
  renameSync(modules, join(door, ".git"));
  expect(await scene.lacking(scene.withDoor)).toEqual([]);
  await scene.pin(scene.withDoor);
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
});

test("a linked worktree has the submodules that were initialised in it", async () => {
  using scene = await sceneWithSubmodules();
  rmSync(join(scene.path, ".git/modules"), { recursive: true });
  const linked = join(scene.root, "linked");
  git(scene.path, "worktree", "add", "-q", linked);
  git(linked, ...local, "submodule", "update", "-q", "--init", "--recursive");
  const repository = await HostRepository.open(linked, { env: hostEnv });
  expect(await repository.exchange(instance).lacking(scene.withDoor)).toEqual([]);
  await repository.pin(instance, newGoalId(), scene.withDoor);
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
});

test("a shallow clone of a submodule is shown as far as it goes, also when it was deepened since", async () => {
  using scene = await sceneWithSubmodules();
  const modules = join(scene.path, ".git/modules/lib/door");
  rmSync(modules, { recursive: true });
  git(scene.root, "clone", "-q", "--bare", "--depth=1", `file://${scene.door}`, modules);
  await scene.pin(scene.withDoor);
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  const door = join(agent.folder, "lib/door");
  expect(read(door, "door.txt")).toBe("door 1\n");
  expect(toolGit(door, "log", "--format=%s")).toBe("With a lock");
  git(modules, "fetch", "-q", "--unshallow");
  const next = commitFiles(scene.door, { "door.txt": "door 2\n" }, "Later");
  git(modules, "fetch", "-q", "origin", "main:main");
  git(scene.path, "update-index", "--cacheinfo", `160000,${next},lib/door`);
  git(scene.path, "commit", "-q", "-m", "Move the door");
  const moved = CommitHash.parse(git(scene.path, "rev-parse", "HEAD"));
  await scene.pin(moved);
  await agent.prepare(moved);
  expect(read(door, "door.txt")).toBe("door 2\n");
  expect(toolGit(door, "log", "--format=%s")).toBe("Later\nWith a lock");
});

test.each(["--filter=blob:none", "--filter=tree:0"])(
  "what a clone with %s lacks of its submodules is fetched; without their remotes they are named",
  async (filter) => {
    using scene = await sceneWithSubmodules();
    const { path, root, door, lock } = scene;
    for (const each of [path, door, lock]) git(each, "config", "uploadpack.allowFilter", "true");
    scene.moveDoor({ "door.txt": "door 2\n" });
    const how = [filter, "--also-filter-submodules", "--recurse-submodules"];
    const open = async (name: string) => {
      git(root, ...local, "clone", "-q", ...how, `file://${path}`, name);
      const repository = await HostRepository.open(join(root, name), { env: hostEnv });
      const exchange = repository.exchange(instance);
      return { repository, exchange, head: await repository.head() };
    };
    const { exchange, repository, head } = await open("partial");
    const later = await open("later");
    await exchange.make({ writers: [agentName] });
    expect(await exchange.lacking(head)).toEqual([]);
    const folder = join(root, "agent");
    const copy = copyIn({ workspaceDir: folder, ...foldersOf(repository, instance) });
    await copy.prepare(head);
    expect(read(folder, "lib/door/door.txt")).toBe("door 2\n");
    expect(read(folder, "lib/door/lock/lock.txt")).toBe("lock 1\n");
    const log = toolGit(join(folder, "lib/door"), "log", "-p", "--format=%s");
    expect(log).toContain("+door 1");
    renameSync(door, join(root, "moved"));
    await later.exchange.make({ writers: [agentName] });
    const [lacking] = await later.exchange.lacking(later.head);
    expect(lacking).toMatchObject({
      found: expect.stringContaining("lib/door (its clone here is a partial one, without all"),
      remedy: expect.stringContaining("where `git fetch` works in it"),
    });
  },
);

test("agents see of a submodule what the goal's commit reaches, and of its history as much as of the rest", async () => {
  using scene = await sceneWithSubmodules();
  const hidden = commitFiles(scene.door, { secret: "x" }, "Not in the goal");
  git(join(scene.path, "lib/door"), "fetch", "-q");
  await scene.pin(scene.withDoor);
  const agent = scene.agent("coder");
  await agent.prepare(scene.withDoor);
  const door = join(agent.folder, "lib/door");
  expect(() => toolGit(door, "cat-file", "-e", hidden)).toThrow();
  await scene.repository.exchange(instance).make({ writers: [agentName], history: 1 });
  await agent.prepare(scene.withDoor);
  expectDoor(agent.folder);
  expect(toolGit(door, "log", "--format=%s")).toBe("With a lock");
});

test("no more submodules are filled than a commit may have", async () => {
  using scene = await sceneWithSubmodules();
  await scene.pin(scene.withDoor);
  const { copy, folder } = scene.agent("coder");
  await copy.prepare(scene.withDoor, [], { submodules: { left: 1 } });
  expect(read(folder, "lib/door/door.txt")).toBe("door 1\n");
  expect(copy.lacking.map(({ path }) => path)).toEqual(["lib/door/lock"]);
  expect(readdirSync(join(folder, "lib/door/lock"))).toEqual([]);
});
