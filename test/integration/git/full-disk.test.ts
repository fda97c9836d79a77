// Shows what happens on a disk that has no room for another file, one inode after the other: a
// sentence at each, nothing half-made, and in the end all of it.
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitFiles as filesOf } from "../../../lib/git/repository/commit-files.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { mountSmallDisk } from "../../chaos/small-disk.ts";
import { copyIn, foldersOf } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  newGoalId,
  temporaryFolder,
  toolGit,
} from "../../support/git/sample-repository.ts";

const probe = await mountSmallDisk({ megabytes: 1 });
await probe?.[Symbol.asyncDispose]();

/** Makes files until there can be no other one. Returns what takes one of them away. */
function fillInodes(folder: string): () => void {
  const filler = join(folder, "filler-files");
  mkdirSync(filler);
  let count = 0;
  try {
    for (;;) writeFileSync(join(filler, `${count++}`), "");
  } catch {
    // There are as many as there can be.
  }
  return () => rmSync(join(filler, `${--count}`), { force: true });
}

/** The names of files that are whole in none of these places. */
const half =
  /(?:^|\/)(?:tmp_|packing|incoming|sett-check|sett-landing)|\.new$|\.[\da-f]{8}-[\da-f-]{27}$/;
const halfIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => half.test(name));

const sentence = /cannot grow: its disk has as many files as it can have/;

/** Does it again and again, each time with room for one more file. Returns how often it failed. */
async function withOneMoreEachTime(folder: string, act: () => Promise<unknown>): Promise<number> {
  const relieve = fillInodes(folder);
  for (let failures = 0; ; failures++) {
    const error = await act().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return failures;
    expect([failures, messageOf(error)]).toEqual([failures, expect.stringMatching(sentence)]);
    expect([failures, halfIn(folder)]).toEqual([failures, []]);
    relieve();
  }
}

const content = "content\n".repeat(4_000);
const oid = createHash("sha256").update(content).digest("hex");
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;

/** A repository with a submodule and a file of LFS, on a disk of its own. */
async function onDisk(inodes = 900) {
  const disk = await mountSmallDisk({ megabytes: 32, inodes });
  if (disk === undefined) throw new Error("No disk can be mounted here.");
  const source = temporaryFolder();
  const door = join(source.path, "door");
  mkdirSync(door);
  git(door, "init", "-q", "-b", "main");
  commitFiles(door, { "door.txt": "door\n" });
  const path = join(disk.folder, "repository");
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main");
  const lfs = join(path, ".git/lfs/objects", oid.slice(0, 2), oid.slice(2, 4));
  mkdirSync(lfs, { recursive: true });
  writeFileSync(join(lfs, oid), content);
  git(path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", door, "door");
  const base = commitFiles(path, {
    ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    "large.bin": pointer,
    "a.txt": "a\n",
  });
  const repository = await HostRepository.open(path, { env: hostEnv });
  const make = () => repository.exchange(instance).make({ writers: [agentName] });
  return {
    ...{ disk, source, path, base, repository, make, folder: disk.folder },
    ...foldersOf(repository, instance),
    [Symbol.asyncDispose]: async () => {
      source[Symbol.dispose]();
      await disk[Symbol.asyncDispose]();
    },
  };
}

type Scene = Awaited<ReturnType<typeof onDisk>>;

/** What an agent sees at the commit, whose working copy is on another disk. */
async function agentAt({ objectsDir, exchangeDir, base }: Scene, workspaceDir: string) {
  const copy = copyIn({ workspaceDir, objectsDir, exchangeDir });
  await copy.prepare(base);
  return copy;
}

test.if(probe !== undefined)("what agents see is made, with submodules and LFS", async () => {
  await using scene = await onDisk();
  using place = temporaryFolder();
  expect(await withOneMoreEachTime(scene.folder, scene.make)).toBeGreaterThan(15);
  await scene.repository.pin(instance, newGoalId(), scene.base);
  await agentAt(scene, place.path);
  expect(toolGit(place.path, "status", "--porcelain")).toBe("");
  expect(await Bun.file(join(place.path, "door/door.txt")).text()).toBe("door\n");
  expect(await Bun.file(join(place.path, "large.bin")).text()).toBe(content);
});

test.if(probe !== undefined)("a goal's commit is shown to agents", async () => {
  await using scene = await onDisk();
  await scene.make();
  const next = commitFiles(scene.path, { "b.txt": "b\n" });
  const goal = newGoalId();
  const pin = () => scene.repository.pin(instance, goal, next);
  expect(await withOneMoreEachTime(scene.folder, pin)).toBeGreaterThan(5);
  expect(git(scene.path, "rev-parse", `refs/sett/${instance}/${goal}`)).toBe(next);
});

test.if(probe !== undefined)("a result is published, and fetched", async () => {
  await using scene = await onDisk();
  using place = temporaryFolder();
  await scene.make();
  const copy = await agentAt(scene, place.path);
  const commit = commitFiles(place.path, { result: "result\n" }, "Result", toolGit);
  const publish = () => copy.publish(commit, scene.base);
  expect(await withOneMoreEachTime(scene.folder, publish)).toBeGreaterThan(0);
  rmSync(join(scene.folder, "filler-files"), { recursive: true });
  const made = { commit, agent: agentName, artefact: newArtefactId() };
  const fetch = async () => {
    const { broken } = await scene.repository.fetchCommits(instance, [made]);
    if (broken[0] !== undefined) throw new Error(broken[0].reason);
  };
  expect(await withOneMoreEachTime(scene.folder, fetch)).toBeGreaterThan(5);
  expect(git(scene.path, "show", `${commit}:result`)).toBe("result");
});

test.if(probe !== undefined)("results of a back-up come back", async () => {
  await using scene = await onDisk();
  const chunks: Uint8Array[] = [];
  await scene.make();
  await scene.repository.pin(instance, newGoalId(), scene.base);
  await scene.repository.writeResults(instance, (chunk) => void chunks.push(chunk));
  using place = temporaryFolder();
  const file = join(place.path, "results");
  writeFileSync(file, Buffer.concat(chunks));
  const path = join(scene.folder, "other");
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main");
  const target = await HostRepository.open(path, { env: hostEnv, mayBeEmpty: true });
  const read = () => target.readResults(instance, file);
  expect(await withOneMoreEachTime(scene.folder, read)).toBeGreaterThan(1);
  expect(git(path, "for-each-ref", "--format=%(objectname)")).toBe(scene.base);
});

test.if(probe !== undefined)("files of a bare repository are there for `sett up`", async () => {
  await using scene = await onDisk();
  const path = join(scene.folder, "bare.git");
  git(scene.folder, "clone", "-q", "--bare", scene.path, path);
  const { place } = await HostRepository.open(path, { env: hostEnv });
  const from = { git: { path: "git", env: hostEnv }, place };
  const take = () => filesOf(from, scene.base, ["a.txt", "large.bin"]);
  expect(await withOneMoreEachTime(scene.folder, take)).toBeGreaterThan(3);
  expect(await Bun.file(join(await take(), "a.txt")).text()).toBe("a\n");
});

test.if(probe !== undefined)(
  "a workspace gets its files, and publishes what was made",
  async () => {
    await using scene = await onDisk();
    await scene.make();
    const workspace = await mountSmallDisk({ megabytes: 32, inodes: 200 });
    if (workspace === undefined) throw new Error("No disk can be mounted here.");
    await using _ = workspace;
    const workspaceDir = join(workspace.folder, "workspace");
    mkdirSync(workspaceDir);
    const { objectsDir, exchangeDir } = scene;
    const copy = copyIn({ workspaceDir, objectsDir, exchangeDir });
    const prepare = () => copy.prepare(scene.base);
    expect(await withOneMoreEachTime(workspace.folder, prepare)).toBeGreaterThan(20);
    expect(toolGit(workspaceDir, "status", "--porcelain")).toBe("");
    rmSync(join(workspace.folder, "filler-files"), { recursive: true });
    const commit = commitFiles(workspaceDir, { result: "result\n" }, "Result", toolGit);
    const publish = () => copy.publish(commit, scene.base);
    expect(await withOneMoreEachTime(workspace.folder, publish)).toBeGreaterThan(3);
  },
);
