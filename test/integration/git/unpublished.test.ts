// An agent that puts a commit on record which it has not published: a private branch of the
// repository, whose hash it has learned or guessed.
import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentName } from "../../../lib/model/ids.ts";
import { errorOf } from "../../support/error-of.ts";
import { exchangeScene, sceneWithResult } from "../../support/git/exchange-scene.ts";
import { commitFiles, git, instance, workWith } from "../../support/git/sample-repository.ts";
import { packOf } from "../../support/git/write-pack.ts";

const external = AgentName.parse("approver");

/** A commit of the user's that no goal reaches. */
function privateCommit(path: string) {
  git(path, "checkout", "-q", "-b", "private");
  const commit = commitFiles(path, { "salaries.txt": "secret\n" }, "Private");
  git(path, "checkout", "-q", "main");
  return commit;
}

test("it gets no name, comes into no store that agents see, and the others are fetched", async () => {
  using scene = await sceneWithResult();
  const commit = privateCommit(scene.path);
  const claimed = scene.record(commit, external);
  const { imported, broken } = await scene.fetch();
  expect(imported).toEqual([scene.good]);
  const reason =
    "Agent approver has not published it: it is a commit of the repository that no goal or result reaches, or `git fetch --prune` has removed its name.";
  expect(broken).toEqual([{ ...claimed, reason, isUnpublished: true }]);
  expect(git(scene.path, "for-each-ref", "--contains", commit, "refs/sett/")).toBe("");
  const seen = { GIT_OBJECT_DIRECTORY: scene.objectsDir };
  expect(
    Bun.spawnSync(["git", "cat-file", "-e", commit], {
      cwd: scene.path,
      env: { ...process.env, ...seen },
    }).exitCode,
  ).not.toBe(0);
});

test("what a person has put on record, what goals and results reach, and what was published is fetched as before", async () => {
  using scene = await sceneWithResult();
  await scene.fetch();
  const expected = [
    scene.record(privateCommit(scene.path)),
    scene.record(scene.base, external),
    scene.record(scene.good.commit, external),
  ];
  expect(await scene.fetch()).toEqual({ imported: expected, broken: [] });
  // The commit is in the repository, too, before its pack is read.
  using other = await exchangeScene();
  const one = other.agent("one");
  await one.prepare(other.base);
  const made = await one.publish({ a: "a" });
  git(other.path, "fetch", "-q", one.folder, `${made.commit}:refs/heads/copied`);
  expect(await other.fetch()).toEqual({ imported: [made], broken: [] });
});

test("a pack of its name that has another object, or only differences to it, does not publish it", async () => {
  using scene = await sceneWithResult();
  const commit = privateCommit(scene.path);
  const folder = join(scene.exchangeDir, external);
  await mkdir(folder);
  const claimed = scene.record(commit, external);
  const bytes = Number(git(scene.path, "cat-file", "-s", commit));
  const copy = (length: number) =>
    Buffer.from([0x80 | 0x30, length % 256, Math.floor(length / 256)]);
  const delta = (length: number) => ({
    base: commit,
    baseBytes: bytes,
    resultBytes: length,
    instructions: copy(length),
  });
  const content = Buffer.from("x");
  // Git completes these: an object that is made of the commit, and the commit as it is.
  const other = {
    ...delta(bytes + 1),
    instructions: Buffer.concat([copy(bytes), Buffer.from([1, 10])]),
  };
  for (const entries of [[{ type: "blob" as const, content }], [other], [delta(bytes)]]) {
    await writeFile(join(folder, `${commit}.pack`), packOf(entries));
    expect((await scene.fetch()).broken).toMatchObject([{ ref: claimed.ref, isUnpublished: true }]);
  }
});

test("an external agent publishes by a pack in a folder of its name", async () => {
  using scene = await sceneWithResult();
  const commit = privateCommit(scene.path);
  const folder = join(scene.exchangeDir, external);
  await mkdir(folder);
  const stdin = Buffer.from(`${commit}\n^${scene.base}\n`);
  const packed = Bun.spawnSync(["git", "pack-objects", "--revs", "--stdout", "--quiet"], {
    cwd: scene.path,
    stdin,
  });
  await writeFile(join(folder, `${commit}.pack`), packed.stdout);
  const made = scene.record(commit, external);
  expect(await scene.fetch()).toEqual({ imported: [scene.good, made], broken: [] });
});

test("a reader of the API gets neither its changes nor its pack, nor a comparison with it", async () => {
  using scene = await sceneWithResult();
  const commit = privateCommit(scene.path);
  const folder = await mkdtemp(join(tmpdir(), "sett-results-"));
  try {
    const results = await scene.repository.openResults(instance, folder);
    const { commit: good, agent } = scene.good;
    const reader = await results.take([
      { commit: good, agent },
      { commit, agent: external },
    ]);
    const refusal = { code: "git-failed", message: `No agent has published commit ${commit}.` };
    expect(await errorOf(reader.showChanges(workWith(commit, scene.base), "lines"))).toMatchObject(
      refusal,
    );
    expect(await errorOf(reader.writePack(commit, [scene.base], () => {}))).toMatchObject(refusal);
    const work = workWith(good, scene.base, { earlier: [{ name: "version 1", commit }] });
    expect(
      await errorOf(reader.showChanges(work, "lines", { name: "version 1", commit })),
    ).toMatchObject(refusal);
    const shown = await reader.showChanges(work);
    expect(shown).toContain(" a | 1 +");
    expect(shown).not.toContain("salaries");
  } finally {
    await rm(folder, { recursive: true });
  }
});
