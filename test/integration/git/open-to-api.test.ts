// Shows what the API does in its container with a repository of which it may write two folders
// alone.
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { errorOf } from "../../support/error-of.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  newGoalId,
  temporaryFolder,
  workWith,
} from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";

test("the folder of the names outlives a clean-up of git, and goes with the names", async () => {
  using scene = await exchangeScene();
  await scene.repository.openToApi(instance);
  await scene.repository.openToApi(instance);
  const names = join(scene.path, ".git/refs/sett", instance);
  const goal = newGoalId();
  await scene.repository.pin(instance, goal, scene.base);
  git(scene.path, "gc", "--quiet", "--prune=now");
  expect(readdirSync(names)).toEqual([".keep"]);
  expect(git(scene.path, "rev-parse", `refs/sett/${instance}/${goal}`).trim()).toBe(scene.base);
  git(scene.path, "fsck", "--strict");
  await scene.repository.removeRefs(instance);
  expect(existsSync(names)).toBe(false);
});

test("posting a goal leaves nothing among the objects of the repository", async () => {
  using scene = await exchangeScene();
  await scene.repository.openToApi(instance);
  const commit = commitFiles(scene.path, { "new.txt": "new\n" }, "New");
  const objects = join(scene.path, ".git/objects");
  const before = readdirSync(objects, { recursive: true }).toSorted();
  await scene.repository.pin(instance, newGoalId(), commit);
  expect(readdirSync(objects, { recursive: true }).toSorted()).toEqual(before);
});

test("a repository whose refs are in tables is refused, with what to do about it", async () => {
  using scene = await exchangeScene();
  await mkdir(join(scene.path, ".git/reftable"));
  expect(await errorOf(scene.repository.openToApi(instance))).toMatchObject({
    code: "repository-unusable",
  });
});

test("commits of agents are read in a folder beside the repository, which stays as it was", async () => {
  using scene = await exchangeScene();
  const folder = await mkdtemp(join(tmpdir(), "sett-results-"));
  try {
    const results = await scene.repository.openResults(instance, folder);
    const painter = scene.agent("painter");
    await painter.prepare(scene.base);
    const { commit, agent } = await painter.publish({ "door.txt": "painted\n" });
    const reader = await results.take([{ commit, agent }]);
    expect(await reader.showChanges(workWith(commit, scene.base))).toContain("door.txt");
    expect(await errorOf(scene.repository.showChanges(workWith(commit, scene.base)))).toMatchObject(
      { code: "git-failed" },
    );
    expect(readdirSync(folder)).toHaveLength(1);
    // A process that starts again begins anew.
    await scene.repository.openResults(instance, folder);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(git(scene.path, "for-each-ref", "--format=%(objectname)", "refs/sett/").trim()).toBe(
      scene.base,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** A pack that someone else makes of a clone. */
async function packOf(
  path: string,
  commit: CommitHash,
  there: readonly CommitHash[],
): Promise<Uint8Array> {
  const clone = await HostRepository.open(path, { env: hostEnv });
  const pieces: Uint8Array[] = [];
  await clone.packBeyond(commit, there, (piece) => pieces.push(piece));
  return Buffer.concat(pieces);
}

/** A commit that only a clone has, and the file of its pack. */
async function farCommit(scene: { path: string; base: CommitHash }, folder: string) {
  const clone = join(folder, "clone");
  git(folder, "clone", "--quiet", scene.path, clone);
  const commit = commitFiles(clone, { "far.txt": "from afar\n" }, "Far");
  const pack = join(folder, "far.pack");
  await writeFile(pack, await packOf(clone, commit, [scene.base]));
  return { commit, pack };
}

test("agents work on a commit that came through the API, and its name comes with the next fetch", async () => {
  using scene = await exchangeScene();
  using folder = temporaryFolder();
  const { repository } = scene;
  const { commit, pack } = await farCommit(scene, folder.path);
  const results = await repository.openResults(instance, join(folder.path, "results"));
  const { brought } = repository.exchange(instance);
  await brought.take(commit, { pack, folder: folder.path });
  const goal = newGoalId();
  await repository.withSeen(instance).pin(instance, goal, commit);
  expect(git(scene.path, "for-each-ref", `refs/sett/${instance}/${goal}`)).toBe("");
  git(scene.path, "gc", "--quiet", "--prune=now");
  expect(await repository.hasCommit(commit)).toBe(false);

  const painter = scene.agent("painter");
  await painter.prepare(commit);
  const made = await painter.publish({ "door.txt": "painted\n" });
  const reader = await results.take([{ commit: made.commit, agent: made.agent }]);
  expect(await reader.showChanges(workWith(made.commit, commit))).toContain("door.txt");
  const artefact = newArtefactId();
  const fetched = await repository.fetchCommits(instance, [{ ...made, artefact }]);
  expect(fetched).toMatchObject({ broken: [], imported: [{ commit }, { commit: made.commit }] });
  expect(git(scene.path, "rev-parse", `refs/sett/${instance}/${goal}`)).toBe(commit);
  git(scene.path, "fsck", "--strict");
});

test("what was brought has its name before the store is made anew, for another history", async () => {
  using scene = await exchangeScene();
  using folder = temporaryFolder();
  const { repository } = scene;
  const { commit, pack } = await farCommit(scene, folder.path);
  const exchange = repository.exchange(instance);
  await exchange.brought.take(commit, { pack, folder: folder.path });
  const goals = Array.from({ length: 8 }, newGoalId);
  await Promise.all(goals.map((goal) => repository.withSeen(instance).pin(instance, goal, commit)));
  const named = (await exchange.brought.named()).map(({ id }) => String(id));
  expect(named.toSorted()).toEqual(goals.map(String).toSorted());
  // A history that was fetched deeper since makes the store anew, too.
  const store = join(scene.path, ".git/sett/objects", instance);
  await writeFile(join(store, "info/sett-shallow"), `${scene.base}\n`);
  await exchange.show([commitFiles(scene.path, { "near.txt": "near\n" }, "Near")]);
  expect(await exchange.brought.seen([commit])).toEqual([commit]);
  await repository.nameBrought(instance);
  await exchange.make({ writers: [], history: 1 });
  expect(await exchange.brought.seen([commit])).toEqual([commit]);
  expect(await repository.hasCommit(commit)).toBe(true);
});

test("a commit with a date that git cannot show is not taken, also below another one", async () => {
  using scene = await exchangeScene();
  using folder = temporaryFolder();
  const { brought } = scene.repository.exchange(instance);
  const clone = join(folder.path, "clone");
  git(folder.path, "clone", "--quiet", scene.path, clone);
  const by = "A <a@sett.invalid> 9223372036854775000 +1400";
  const tree = git(clone, "rev-parse", "HEAD^{tree}");
  await writeFile(
    join(folder.path, "c"),
    `tree ${tree}\nparent ${scene.base}\nauthor ${by}\ncommitter ${by}\n\nx\n`,
  );
  git(clone, "reset", "--soft", git(clone, "hash-object", "-t", "commit", "-w", "../c"));
  const later = commitFiles(clone, { "far.txt": "from afar\n" }, "Later");
  const pack = await kept(folder.path, await packOf(clone, later, [scene.base]));
  expect(await errorOf(brought.take(later, { pack, folder: folder.path }))).toMatchObject({
    code: "usage",
    message: expect.stringContaining("Timestamp too large"),
  });
  expect(await brought.seen([later])).toEqual([]);
});

nightly(
  "a pack that is not whole by what agents see is refused, and shows them nothing",
  async () => {
    using scene = await exchangeScene();
    using folder = temporaryFolder();
    const { brought } = scene.repository.exchange(instance);
    const take = async (commit: CommitHash, pack: Uint8Array) => {
      const path = join(folder.path, "some.pack");
      await writeFile(path, pack);
      return await errorOf(brought.take(commit, { pack: path, folder: folder.path }));
    };
    // A branch that no goal reaches, and a commit that names its file by the hash alone.
    git(scene.path, "switch", "--quiet", "--create", "secret");
    commitFiles(scene.path, { "secret.txt": "hidden\n" }, "Secret");
    const secret = git(scene.path, "rev-parse", "HEAD:secret.txt");
    git(scene.path, "switch", "--quiet", "-");
    const clone = join(folder.path, "clone");
    git(folder.path, "init", "--quiet", clone);
    const own = commitFiles(clone, { "own.txt": "own\n" }, "Own");
    git(clone, "update-index", "--add", "--cacheinfo", `100644,${secret},stolen.txt`);
    const tree = git(clone, "write-tree", "--missing-ok");
    const thief = CommitHash.parse(git(clone, "commit-tree", tree, "-m", "Steal", "-p", own));
    const objects = [thief, tree, own, `${own}^{tree}`, `${own}:own.txt`]
      .map((name) => `${git(clone, "rev-parse", name)}\n`)
      .join("");
    const stolen = Bun.spawnSync(["git", "pack-objects", "--stdout", "-q"], {
      cwd: clone,
      stdin: Buffer.from(objects),
    }).stdout;
    const whole = await packOf(clone, own, []);
    const missing = { code: "usage", message: expect.stringContaining("did not receive expected") };
    expect(await take(thief, stolen)).toMatchObject(missing);
    expect(await take(CommitHash.parse("1".repeat(40)), whole)).toMatchObject({
      message: expect.stringContaining("does not have commit"),
    });
    expect(await take(own, whole.subarray(0, whole.length - 9))).toMatchObject({
      message: expect.stringContaining("git refuses the pack"),
    });
    expect(await brought.seen([own, thief])).toEqual([]);
    expect(readdirSync(folder.path).toSorted()).toEqual(["clone", "some.pack"]);
    await brought.take(own, { pack: await kept(folder.path, whole), folder: folder.path });
    expect(await brought.seen([own, thief])).toEqual([own]);
  },
);

async function kept(folder: string, pack: Uint8Array): Promise<string> {
  const path = join(folder, "whole.pack");
  await writeFile(path, pack);
  return path;
}
