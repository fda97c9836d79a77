// Shows that what agents see costs its disk once where the repository's packs can be shared, that
// nothing else comes with them, and that no clean-up of the repository takes anything away.
import { expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import { copyIn, foldersOf } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  newGoalId,
  sampleRepository,
  toolGit,
} from "../../support/git/sample-repository.ts";

/** A repository with some commits, in one pack, and no store yet. */
async function packedScene(initArgs: string[] = []) {
  const host = sampleRepository(initArgs);
  for (const number of [1, 2, 3])
    commitFiles(host.path, { [`file${number}`]: `${number}\n`.repeat(9_000) }, `Commit ${number}`);
  git(host.path, "repack", "-adq");
  return {
    ...host,
    ...(await openIn(host.path, host.root)),
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

async function openIn(path: string, root: string) {
  const repository = await HostRepository.open(path, { env: hostEnv });
  const { objectsDir, exchangeDir } = foldersOf(repository, instance);
  const make = (isOpen = false) =>
    repository.exchange(instance).make({ writers: [agentName], isOpen });
  const copy = copyIn({
    objectsDir,
    exchangeDir,
    workspaceDir: join(root, "agent"),
  });
  const shown = () => repository.exchange(instance).shown();
  return { repository, objectsDir, make, copy, folder: join(root, "agent"), shown };
}

type Scene = Awaited<ReturnType<typeof packedScene>>;
type Place = Pick<Scene, "path" | "objectsDir">;

const packsOf = (objectsDir: string) =>
  readdirSync(join(objectsDir, "pack"))
    .filter((name) => name.endsWith(".pack"))
    .sort();
const inodeOf = (...path: string[]) => statSync(join(...path)).ino;
const bytesOf = (folder: string) =>
  Number(execFileSync("du", ["-sb", folder], { encoding: "utf8" }).split("\t")[0]);

function objectsIn({ objectsDir, path }: Place): string[] {
  const env = {
    ...hostEnv,
    GIT_OBJECT_DIRECTORY: objectsDir,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: "",
  };
  const args = [
    ...["-c", "safe.directory=*"],
    ...["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"],
  ];
  return execFileSync("git", args, { cwd: path, env, encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

const reachable = ({ path }: Place, ...commits: string[]) =>
  git(path, "rev-list", "--objects", "--no-object-names", ...commits)
    .split("\n")
    .sort();

/** Which packs of the store are the repository's own files. */
const sharedBy = ({ path, objectsDir }: Place) =>
  packsOf(objectsDir).filter((name) => {
    const theirs = readdirSync(join(path, ".git/objects/pack")).includes(name);
    return theirs && inodeOf(objectsDir, "pack", name) === inodeOf(path, ".git/objects/pack", name);
  });

for (const format of ["sha1", "sha256"])
  test(`where HEAD reaches all of the repository, its packs are shared, and cost no disk (${format})`, async () => {
    using scene = await packedScene(["--object-format", format]);
    await scene.make();
    expect(packsOf(scene.objectsDir)).toEqual(packsOf(join(scene.path, ".git/objects")));
    expect(sharedBy(scene)).toEqual(packsOf(scene.objectsDir));
    const { bytes = 0, sharedBytes } = (await scene.shown()) ?? {};
    expect(bytes).toBeGreaterThan(0);
    expect(sharedBytes).toBe(bytes);
    expect(objectsIn(scene).sort()).toEqual(reachable(scene, "HEAD"));
    expect(readdirSync(join(scene.path, ".git/sett")).sort()).toEqual(["exchange", "objects"]);
  });

test("a pack with a stash, another branch or removed history is not shared, and what HEAD reaches costs as much as in a clone", async () => {
  using scene = await packedScene();
  const noise = () => ({ noise: crypto.getRandomValues(Buffer.alloc(90_000)).toString("base64") });
  const base = git(scene.path, "rev-parse", "HEAD");
  const removed = commitFiles(scene.path, noise(), "Removed");
  git(scene.path, "reset", "-q", "--hard", base);
  const other = commitFiles(scene.path, noise(), "Other");
  git(scene.path, "branch", "other");
  git(scene.path, "reset", "-q", "--hard", base);
  commitFiles(scene.path, { more: "more\n" }, "More");
  execFileSync("sh", ["-c", "echo stashed > stashed; git stash -q -u"], {
    cwd: scene.path,
    env: hostEnv,
  });
  const stash = git(scene.path, "rev-parse", "stash");
  git(scene.path, "repack", "-adq");
  await scene.make();
  expect(sharedBy(scene)).toEqual([]);
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, "HEAD"));
  await scene.copy.prepare(await scene.repository.head(), []);
  for (const hidden of [removed, other, stash])
    expect(() => toolGit(scene.folder, "cat-file", "-e", hidden)).toThrow();
  git(scene.root, "clone", "-q", "--bare", "--single-branch", "--no-local", scene.path, "clone");
  const bare = bytesOf(join(scene.root, "clone/objects/pack"));
  expect(bytesOf(join(scene.objectsDir, "pack")) / bare).toBeLessThan(1.05);
});

test("an object that nothing reaches keeps its pack out, whether or not a name says so", async () => {
  using scene = await packedScene();
  const text = "in a pack, and nowhere else\n";
  const secret = execFileSync("git", ["hash-object", "-w", "--stdin"], {
    cwd: scene.path,
    env: hostEnv,
    input: text,
    encoding: "utf8",
  }).trim();
  const all = `${reachable(scene, "HEAD").join("\n")}\n${secret}\n`;
  const pack = execFileSync("git", ["pack-objects", "-q", ".git/objects/pack/pack"], {
    cwd: scene.path,
    env: hostEnv,
    input: all,
    encoding: "utf8",
  }).trim();
  const [clean] = packsOf(join(scene.path, ".git/objects")).filter((name) => !name.includes(pack));
  await scene.make();
  expect(sharedBy(scene)).toEqual([clean as string]);
  expect(objectsIn(scene)).not.toContain(secret);
});

test("beside a pack that can be shared only the rest is packed", async () => {
  using scene = await packedScene();
  const [clean] = packsOf(join(scene.path, ".git/objects"));
  const next = commitFiles(scene.path, { next: "next\n" }, "Next");
  commitFiles(scene.path, { hidden: "hidden\n" }, "Hidden");
  git(scene.path, "branch", "hidden");
  git(scene.path, "repack", "-dq");
  git(scene.path, "reset", "-q", "--hard", next);
  await scene.make();
  expect(sharedBy(scene)).toEqual([clean as string]);
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, next));
  const own = packsOf(scene.objectsDir).filter((name) => name !== clean);
  expect(own).toHaveLength(1);
  const shown = execFileSync("git", ["show-index"], {
    input: await Bun.file(join(scene.objectsDir, "pack", `${own[0]?.slice(0, -5)}.idx`)).bytes(),
    encoding: "utf8",
  });
  expect(shown.trim().split("\n")).toHaveLength(3);
});

test("git gc, repack and prune take nothing from a running goal, and the next make shares the new pack instead", async () => {
  using scene = await packedScene();
  await scene.make();
  const base = await scene.repository.head();
  await scene.repository.pin(instance, newGoalId(), base);
  await scene.copy.prepare(base, []);
  // A git of a command that goes on, with the packs that it has found.
  const reading = spawn("git", ["cat-file", "--batch-check"], { cwd: scene.folder });
  const lines = createInterface(reading.stdout)[Symbol.asyncIterator]();
  const ask = async (name: string) => {
    reading.stdin.write(`${name}\n`);
    return (await lines.next()).value;
  };
  expect(await ask("HEAD")).toContain("commit");
  const before = packsOf(scene.objectsDir);
  // The branch loses two commits for good; the pin keeps them in the repository.
  git(scene.path, "reset", "-q", "--hard", "HEAD~2");
  commitFiles(scene.path, { other: "other\n" }, "Another way");
  git(scene.path, "reflog", "expire", "--expire=now", "--all");
  git(scene.path, "repack", "-adq", "--window=1");
  git(scene.path, "gc", "-q", "--prune=now");
  git(scene.path, "prune", "--expire=now");
  expect(sharedBy(scene)).toEqual([]);
  expect(packsOf(scene.objectsDir)).toEqual(before);
  expect(toolGit(scene.folder, "fsck", "--full", "--no-dangling")).toBe("");
  expect(await ask("HEAD~2:README.md")).toContain("blob");
  await scene.make();
  expect(sharedBy(scene)).toEqual(packsOf(scene.objectsDir));
  expect(packsOf(scene.objectsDir)).not.toEqual(before);
  expect((await scene.shown())?.sharedBytes).toBe((await scene.shown())?.bytes as number);
  expect(await ask("HEAD~1:file1")).toContain("blob");
  reading.stdin.end();
  await once(reading, "close");
  const commit = commitFiles(scene.folder, { a: "a" }, "By an agent", toolGit);
  await scene.copy.publish(commit, base);
  const result = { artefact: newArtefactId(), commit, agent: agentName };
  const fetched = await scene.repository.fetchCommits(instance, [result]);
  expect(fetched.broken).toEqual([]);
  expect(git(scene.path, "rev-parse", settRef(instance, result.artefact))).toBe(commit);
});

test("without names of the goals a clean-up of the repository takes nothing from the store either", async () => {
  using scene = await packedScene();
  await scene.make();
  const head = await scene.repository.head();
  await scene.copy.prepare(head, []);
  git(scene.path, "reset", "-q", "--hard", "HEAD~2");
  git(scene.path, "reflog", "expire", "--expire=now", "--all");
  git(scene.path, "gc", "-q", "--prune=now");
  expect(() => git(scene.path, "cat-file", "-e", head)).toThrow();
  expect(toolGit(scene.folder, "fsck", "--full", "--no-dangling")).toBe("");
  await scene.make();
  expect(toolGit(scene.folder, "fsck", "--full", "--no-dangling")).toBe("");
});

test("on another file system, and for a file that not all can read, packs are copied", async () => {
  using scene = await packedScene();
  const elsewhere = mkdtempSync("/dev/shm/sett-");
  try {
    const objects = join(scene.path, ".git/objects");
    cpSync(objects, elsewhere, { recursive: true });
    rmSync(objects, { recursive: true });
    symlinkSync(elsewhere, objects);
    const far = await openIn(scene.path, scene.root);
    await far.make();
    expect(packsOf(far.objectsDir)).toEqual(packsOf(elsewhere));
    expect((await far.shown())?.sharedBytes).toBe(0);
    expect(objectsIn(scene).sort()).toEqual(reachable(scene, "HEAD"));
    await far.repository.exchange(instance).remove();
    for (const name of readdirSync(join(elsewhere, "pack")))
      chmodSync(join(elsewhere, "pack", name), 0o400);
    await far.make();
    expect(
      packsOf(far.objectsDir).map(
        (name) => statSync(join(far.objectsDir, "pack", name)).mode & 0o777,
      ),
    ).toEqual([0o444]);
    expect(objectsIn(scene).sort()).toEqual(reachable(scene, "HEAD"));
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

test.if(process.getuid?.() === 0)(
  "where the API can write as the owner of the repository, nothing is shared with it any more",
  async () => {
    using scene = await packedScene();
    const expected = reachable(scene, "HEAD");
    execFileSync("chown", ["-R", "1234:2345", scene.path]);
    const { repository, make, shown, objectsDir } = await openIn(scene.path, scene.root);
    await make();
    expect((await shown())?.sharedBytes).toBeGreaterThan(0);
    const theirs = packsOf(join(scene.path, ".git/objects"));
    await make(true);
    await repository.openToApi(instance);
    expect((await shown())?.sharedBytes).toBe(0);
    for (const name of readdirSync(join(objectsDir, "pack"))) {
      const { nlink, uid, mode } = statSync(join(objectsDir, "pack", name));
      expect([nlink, uid, mode & 0o777]).toEqual([1, 1234, 0o444]);
    }
    expect(objectsIn({ ...scene, objectsDir }).sort()).toEqual(expected);
    await repository.exchange(instance).remove();
    await make(true);
    expect(packsOf(objectsDir)).toEqual(theirs);
    expect((await shown())?.sharedBytes).toBe(0);
  },
);

test("a store from before, which has its own pack, shares the repository's with the next make", async () => {
  using scene = await packedScene();
  const next = commitFiles(scene.path, { loose: "loose\n" }, "Loose");
  await scene.make();
  expect(sharedBy(scene)).toHaveLength(1);
  expect(packsOf(scene.objectsDir)).toHaveLength(2);
  git(scene.path, "repack", "-adq");
  await scene.make();
  expect(sharedBy(scene)).toEqual(packsOf(scene.objectsDir));
  expect(packsOf(scene.objectsDir)).toHaveLength(1);
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, next));
});

test("a version that comes back is not packed again", async () => {
  using scene = await packedScene();
  await scene.make();
  const state = async (commit: CommitHash) => {
    await scene.repository.pin(instance, newGoalId(), commit);
    return objectsIn(scene).length;
  };
  await state(commitFiles(scene.path, { file1: "another\n" }, "Other"));
  const before = new Set(packsOf(scene.objectsDir));
  await state(commitFiles(scene.path, { file1: "1\n".repeat(9_000) }, "Back"));
  const [added = ""] = packsOf(scene.objectsDir).filter((name) => !before.has(name));
  const listed = execFileSync("git", ["verify-pack", "-v", join(scene.objectsDir, "pack", added)], {
    encoding: "utf8",
  });
  // The tree is that of before, too.
  expect(listed.match(/^[0-9a-f]{40} \w+/gm)?.map((line) => line.slice(41))).toEqual(["commit"]);
});
