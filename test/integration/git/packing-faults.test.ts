// Shows what happens to the packing of what agents see when it is ended, when the repository is
// rewritten meanwhile, and when its disk is full, or that of a workspace: a sentence, nothing lost,
// and the next goes on.
import { expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { mountSmallDisk } from "../../chaos/small-disk.ts";
import { copyIn, foldersOf, ownFolders } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  newGoalId,
  sampleRepository,
  temporaryFolder,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { waitFor } from "../../support/wait-for.ts";

const reachable = (path: string, ...commits: string[]) =>
  git(path, "rev-list", "--objects", "--no-object-names", ...commits)
    .split("\n")
    .sort();

function objectsIn(path: string, objectsDir: string): string[] {
  const env = {
    ...hostEnv,
    GIT_OBJECT_DIRECTORY: objectsDir,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: "",
  };
  const args = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"];
  return execFileSync("git", args, { cwd: path, env, encoding: "utf8" })
    .split("\n")
    .filter(Boolean)
    .sort();
}

/**
 * A git that runs `script` before the packing, once; before that of a submodule where the
 * repository's own comes `first`. `folder`: for its files.
 */
function gitThat(script: string, folder: string, first = false): string {
  const path = join(folder, "git-in-the-middle");
  const pass = `[ -e '${folder}/passed' ] || { : > '${folder}/passed'; exec git "$@"; }`;
  const text = `#!/bin/sh
for word; do
  if [ "$word" = pack-objects ] && [ ! -e '${folder}/reached' ]; then
    ${first ? pass : ":"}
    : > '${folder}/reached'
    (unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES; ${script}) >&2
  fi
done
exec git "$@"
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

async function open(path: string, gitPath = "git") {
  const repository = await HostRepository.open(path, { env: hostEnv, gitPath });
  const exchange = repository.exchange(instance);
  const make = (signal?: AbortSignal) => exchange.make({ writers: [agentName], signal });
  return { repository, make, ...foldersOf(repository, instance) };
}

const filesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" });

test("where the program is killed while it packs, agents see nothing of it, and the next one goes on", async () => {
  using host = sampleRepository();
  execFileSync("mkfifo", [join(host.root, "go")]);
  const waiting = gitThat(`: > '${host.root}/left'; cat '${host.root}/go'`, host.root);
  const program = join(import.meta.dir, "../../support/git/make-store.ts");
  const child = spawn(process.execPath, [program, host.path, waiting], {
    detached: true,
    stdio: "inherit",
  });
  const ended = once(child, "exit");
  await waitFor("the packing", async () => existsSync(join(host.root, "left")));
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await ended;
  const { repository, make, objectsDir } = await open(host.path);
  const rooms = join(host.path, ".git/sett/packing");
  expect(readdirSync(rooms)).toEqual([instance as string]);
  expect(readdirSync(join(objectsDir, "pack"))).toEqual([]);
  // What git leaves in its folder while it writes.
  writeFileSync(join(rooms, instance, "pack/tmp_pack_half"), "half a pack");
  await make();
  expect(existsSync(rooms)).toBe(false);
  expect(objectsIn(host.path, objectsDir)).toEqual(reachable(host.path, "HEAD"));
  await repository.exchange(instance).remove();
  expect(existsSync(join(host.path, ".git/sett"))).toBe(false);
});

test("packing that is no longer wanted ends at once, and leaves nothing", async () => {
  using host = sampleRepository();
  execFileSync("mkfifo", [join(host.root, "go")]);
  const waiting = gitThat(`cat '${host.root}/go'`, host.root);
  const { make, objectsDir } = await open(host.path, waiting);
  const abort = new AbortController();
  const made = make(abort.signal).then(
    () => "made",
    (error: unknown) => messageOf(error),
  );
  await waitFor("the packing", async () => existsSync(join(host.root, "reached")));
  abort.abort();
  expect(await made).toBe("git pack-objects failed: it was ended");
  // Our git in the middle may have a program of its own that still waits. Opened for both, the pipe
  // needs no reader.
  closeSync(openSync(join(host.root, "go"), constants.O_RDWR | constants.O_NONBLOCK));
  expect(existsSync(join(host.path, ".git/sett/packing"))).toBe(false);
  expect(filesIn(objectsDir).sort()).toEqual(["info", "pack"]);
});

/** Adds a submodule `door` to the repository, and returns what it has. */
function addDoor({ root, path }: { root: string; path: string }): () => string[] {
  const door = join(root, "door");
  mkdirSync(door);
  git(door, "init", "-q", "-b", "main");
  commitFiles(door, { "door.txt": "door\n" });
  git(path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", door, "door");
  commitFiles(path, {}, "With a door");
  return () => reachable(door, "HEAD");
}

test("where the packing of a submodule is killed, nothing half stays, and the next one goes on", async () => {
  using host = sampleRepository();
  const door = addDoor(host);
  execFileSync("mkfifo", [join(host.root, "go")]);
  const waiting = gitThat(`: > '${host.root}/left'; cat '${host.root}/go'`, host.root, true);
  const program = join(import.meta.dir, "../../support/git/make-store.ts");
  const child = spawn(process.execPath, [program, host.path, waiting], {
    detached: true,
    stdio: "inherit",
  });
  const ended = once(child, "exit");
  await waitFor("the packing", async () => existsSync(join(host.root, "left")));
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await ended;
  const { repository, make, objectsDir } = await open(host.path);
  const modules = join(objectsDir, "modules");
  expect(objectsIn(host.path, modules)).toEqual([]);
  await make();
  expect(existsSync(join(host.path, ".git/sett/packing"))).toBe(false);
  expect(objectsIn(host.path, objectsDir)).toEqual(reachable(host.path, "HEAD"));
  expect(objectsIn(host.path, modules)).toEqual(door());
  await repository.exchange(instance).remove();
  expect(existsSync(join(host.path, ".git/sett"))).toBe(false);
});

test("what a killed goal has left of a submodule, or of a file of LFS, goes with a later `up`", async () => {
  using host = sampleRepository();
  addDoor(host);
  const { make, objectsDir } = await open(host.path);
  await make();
  const left = ["modules/packing-1/pack/half", "modules/pack/tmp_pack_2", "lfs/tmp_3"];
  const young = ["modules/packing-4/pack/half", "lfs/tmp_5"];
  const longAgo = new Date(Date.now() - 7 * 3_600_000);
  for (const name of [...left, ...young]) {
    mkdirSync(join(objectsDir, dirname(name)), { recursive: true });
    writeFileSync(join(objectsDir, name), "half");
    const top = join(objectsDir, name.replace("/pack/half", ""));
    if (left.includes(name)) utimesSync(top, longAgo, longAgo);
  }
  await make();
  expect(left.filter((name) => existsSync(join(objectsDir, name)))).toEqual([]);
  // Another program may still be at these.
  expect(young.filter((name) => existsSync(join(objectsDir, name)))).toEqual(young);
});

test("the packing of a submodule that is no longer wanted ends at once, and leaves nothing", async () => {
  using host = sampleRepository();
  const door = addDoor(host);
  execFileSync("mkfifo", [join(host.root, "go")]);
  const waiting = gitThat(`cat '${host.root}/go'`, host.root, true);
  const { make, objectsDir } = await open(host.path, waiting);
  const abort = new AbortController();
  const made = make(abort.signal).then(
    () => "made",
    (error: unknown) => messageOf(error),
  );
  await waitFor("the packing", async () => existsSync(join(host.root, "reached")));
  abort.abort();
  expect(await made).toContain("it was ended");
  closeSync(openSync(join(host.root, "go"), constants.O_RDWR | constants.O_NONBLOCK));
  expect(existsSync(join(host.path, ".git/sett/packing"))).toBe(false);
  await (await open(host.path)).make();
  expect(objectsIn(host.path, join(objectsDir, "modules"))).toEqual(door());
});

test("a person's limit for the size of packs changes nothing", async () => {
  using host = sampleRepository();
  const noise = () => crypto.getRandomValues(Buffer.alloc(600_000)).toString("base64");
  commitFiles(host.path, { one: noise(), two: noise(), three: noise() }, "Noise");
  git(host.path, "config", "pack.packSizeLimit", "1m");
  const { make, objectsDir } = await open(host.path);
  await make();
  expect(objectsIn(host.path, objectsDir)).toEqual(reachable(host.path, "HEAD"));
});

const amendAndForget =
  "git commit -q --amend -m Amended && git reflog expire --expire=now --all && git gc -q --prune=now";

test("a repository that is rewritten and cleaned up meanwhile is packed as it is then", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { a: "a" }, "To be amended");
  const amending = gitThat(`cd '${host.path}' && ${amendAndForget}`, host.root);
  const { make, objectsDir } = await open(host.path, amending);
  await make();
  expect(git(host.path, "log", "-1", "--format=%s")).toBe("Amended");
  expect(objectsIn(host.path, objectsDir)).toEqual(reachable(host.path, "HEAD"));
});

test("agents begin with the HEAD that was packed, whichever the repository has by then", async () => {
  using host = sampleRepository();
  const packed = commitFiles(host.path, { a: "a" }, "To be amended");
  const amending = gitThat(`cd '${host.path}' && git commit -q --amend -m Amended`, host.root);
  const { make, objectsDir } = await open(host.path, amending);
  expect(await make()).toBe(packed);
  expect(git(host.path, "log", "-1", "--format=%s")).toBe("Amended");
  expect(objectsIn(host.path, objectsDir)).toContain(packed);
});

test("a repository whose packs are replaced meanwhile is packed as well", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { a: "a" }, "Hidden");
  git(host.path, "branch", "hidden");
  git(host.path, "repack", "-adq");
  git(host.path, "reset", "-q", "--hard", host.base);
  const repacking = gitThat(
    `git -C '${host.path}' -c pack.compression=1 repack -adFq --window=1 && git -C '${host.path}' prune --expire=now`,
    host.root,
  );
  const { make, objectsDir } = await open(host.path, repacking);
  await make();
  expect(objectsIn(host.path, objectsDir)).toEqual(reachable(host.path, "HEAD"));
});

test("a repository that lacks an object of an old commit says so with remedies, of which one is tried", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { lost: "once" }, "Old");
  const lost = git(host.path, "rev-parse", "HEAD:lost");
  git(host.path, "rm", "-q", "lost");
  git(host.path, "commit", "-q", "-m", "New");
  rmSync(join(host.path, ".git/objects", lost.slice(0, 2), lost.slice(2)));
  const { repository, make, objectsDir } = await open(host.path);
  const error = await make().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "git-failed",
    message: expect.stringContaining(lost),
    hint: expect.stringContaining("`git fsck --connectivity-only`"),
  });
  expect(git(host.path, "status", "--short")).toBe("");
  expect(objectsIn(host.path, objectsDir)).toEqual([]);
  await repository.exchange(instance).make({ writers: [agentName], history: 1 });
  expect(objectsIn(host.path, objectsDir)).toContain(git(host.path, "rev-parse", "HEAD^{tree}"));
});

test("packs of which only the first is there count for nothing, for a goal and for the next up", async () => {
  for (const via of ["a goal", "up"]) {
    using host = sampleRepository();
    commitFiles(host.path, { a: "a" }, "Packed");
    git(host.path, "repack", "-adq");
    commitFiles(host.path, { a: "b" }, "Loose");
    const { repository, make, objectsDir } = await open(host.path);
    await make();
    const shared = readdirSync(join(host.path, ".git/objects/pack"));
    for (const name of readdirSync(join(objectsDir, "pack")))
      if (shared.includes(name)) rmSync(join(objectsDir, "pack", name));
    rmSync(join(objectsDir, "info/sett-tips"));
    writeFileSync(join(objectsDir, "info/sett-unfinished"), "packs are being added\n");
    if (via === "up") await make();
    else await repository.pin(instance, newGoalId(), await repository.head());
    expect(objectsIn(host.path, objectsDir)).toEqual(reachable(host.path, "HEAD"));
    await make();
    expect(existsSync(join(objectsDir, "info/sett-unfinished"))).toBe(false);
  }
});

const fault = await mountSmallDisk({ megabytes: 1 });
await fault?.[Symbol.asyncDispose]();

/** A repository of two megabytes that cannot be shared, on a disk of its own. */
async function onSmallDisk(limits: { megabytes: number; inodes?: number }) {
  const disk = await mountSmallDisk(limits);
  if (disk === undefined) throw new Error("No disk can be mounted here.");
  const path = join(disk.folder, "repository");
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main");
  const noise = crypto.getRandomValues(Buffer.alloc(60_000));
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`noise${at}`, `${at}${noise.toString("base64")}`]),
  );
  const base = commitFiles(path, files, "Noise");
  return { disk, path, base };
}

const failure = async (job: Promise<unknown>) =>
  await job.then(
    () => undefined,
    (error: unknown) => (error instanceof SettError ? error : undefined),
  );

test.if(fault !== undefined)(
  "a full disk while it packs is a sentence, leaves nothing behind, and the next one goes on",
  async () => {
    const { disk, path } = await onSmallDisk({ megabytes: 16 });
    await using _ = disk;
    const filling = gitThat(`cat /dev/zero > '${disk.folder}/filler' 2> /dev/null`, disk.folder);
    const { make, objectsDir } = await open(path, filling);
    const error = await failure(make());
    expect(error?.message).toBe(`${objectsDir} cannot grow: its disk is full, 0 MiB are free.`);
    expect(error?.hint).toBe("Make room there, then run the same command again. Nothing is lost.");
    expect(filesIn(objectsDir).filter((name) => name.includes("tmp_"))).toEqual([]);
    expect(existsSync(join(path, ".git/sett/packing"))).toBe(false);
    await disk.relieve();
    await make();
    expect(objectsIn(path, objectsDir)).toEqual(reachable(path, "HEAD"));
    // The same for a goal.
    const next = commitFiles(path, { next: "x".repeat(4_000) }, "Next");
    const { repository } = await open(path);
    await disk.fill();
    const goal = newGoalId();
    const refused = await failure(repository.pin(instance, goal, next));
    expect(refused?.message).toContain("cannot grow: its disk is full");
    await disk.relieve();
    await repository.pin(instance, goal, next);
    expect(objectsIn(path, objectsDir)).toEqual(reachable(path, "HEAD"));
    expect(filesIn(objectsDir).filter((name) => name.includes("packing-"))).toEqual([]);
  },
);

test.if(fault !== undefined)("a disk without room for another file says so", async () => {
  const { disk, path } = await onSmallDisk({ megabytes: 16, inodes: 400 });
  await using _ = disk;
  const filler = join(disk.folder, "files");
  mkdirSync(filler);
  let count = 0;
  try {
    for (;;) writeFileSync(join(filler, `${count++}`), "");
  } catch {
    // There are as many as there can be.
  }
  const { make, objectsDir } = await open(path);
  const full = `${objectsDir} cannot grow: its disk has as many files as it can have (400 inodes).`;
  let failures = 0;
  for (let error = await failure(make()); error !== undefined; error = await failure(make())) {
    expect([failures, error.message]).toEqual([failures, full]);
    rmSync(join(filler, `${failures++}`));
  }
  expect(failures).toBeGreaterThan(5);
  expect(objectsIn(path, objectsDir)).toEqual(reachable(path, "HEAD"));
});

test.if(fault !== undefined)(
  "a name that a full disk has no room for is a sentence, too",
  async () => {
    const { disk, path, base } = await onSmallDisk({ megabytes: 16 });
    await using _ = disk;
    const { repository, make } = await open(path);
    await make();
    await disk.fill();
    const goal = newGoalId();
    const refused = await failure(repository.pin(instance, goal, base));
    expect(refused?.message).toBe(`${path}/.git cannot grow: its disk is full, 0 MiB are free.`);
    await disk.relieve();
    await repository.pin(instance, goal, base);
    expect(git(path, "rev-parse", `refs/sett/${instance}/${goal}`)).toBe(base);
  },
);

test.if(fault !== undefined)(
  "a workspace for whose files its disk has no room is empty again, and the next one begins",
  async () => {
    using host = sampleRepository();
    const many = Array.from({ length: 300 }, (_, at) => [`many/${at}`, `${at}`]);
    const [small, large] = [
      commitFiles(host.path, { a: "a" }, "Small"),
      commitFiles(host.path, Object.fromEntries(many), "Large"),
    ];
    const disk = await mountSmallDisk({ megabytes: 16, inodes: 200 });
    if (disk === undefined) throw new Error("No disk can be mounted here.");
    await using _ = disk;
    const workspaceDir = join(disk.folder, "workspace");
    const copy = copyIn({ workspaceDir, ...ownFolders(host) });
    const error = await failure(copy.prepare(large));
    expect(error?.message).toBe(
      `${workspaceDir} cannot grow: its disk has as many files as it can have (200 inodes).`,
    );
    expect(filesIn(workspaceDir)).toEqual([]);
    await copy.prepare(small);
    expect(readFileSync(join(workspaceDir, "a"), "utf8")).toBe("a");
    expect(toolGit(workspaceDir, "status", "--porcelain")).toBe("");
  },
);

test.if(fault !== undefined)(
  "a result for which the repository's disk has no room says where, and is published and fetched once it has",
  async () => {
    const { disk, path, base } = await onSmallDisk({ megabytes: 16 });
    await using _ = disk;
    using place = temporaryFolder();
    const { repository, make } = await open(path);
    await make();
    const copy = copyIn({ workspaceDir: place.path, ...foldersOf(repository, instance) });
    await copy.prepare(base);
    writeFileSync(join(place.path, "result"), crypto.getRandomValues(Buffer.alloc(60_000)));
    toolGit(place.path, "add", ".");
    toolGit(place.path, "commit", "-q", "-m", "Result");
    const commit = await copy.head();
    await disk.fill();
    const error = await failure(copy.publish(commit, base));
    expect(error?.message).toContain("cannot grow: its disk is full, 0 MiB are free.");
    expect(error?.hint).toContain(".git/sett/exchange of the repository");
    await disk.relieve();
    await copy.publish(commit, base);
    const made = { commit, agent: agentName, artefact: newArtefactId() };
    const objects = join(path, ".git/objects");
    const before = readdirSync(objects);
    await disk.fill();
    const unfetched = await failure(repository.fetchCommits(instance, [made]));
    expect(unfetched?.message).toStartWith(`${path}/.git cannot grow: its disk is full`);
    expect(readdirSync(objects)).toEqual(before);
    await disk.relieve();
    const fetched = await repository.fetchCommits(instance, [made]);
    expect(fetched).toMatchObject({ broken: [], imported: [{ commit }] });
  },
);
