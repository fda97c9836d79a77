// The commit of a result that was erased is gone, with what only it reaches, and nothing else is.
import { expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene, publishedIn } from "../../support/git/exchange-scene.ts";
import {
  git,
  hostEnv,
  instance,
  newArtefactId,
  sampleRepository,
} from "../../support/git/sample-repository.ts";

setDefaultTimeout(200_000);

type Scene = Awaited<ReturnType<typeof exchangeScene>>;

const artefactOf = (ref: string) => ref.slice(ref.lastIndexOf("/") + 1) as never;
const contents = (path: string) =>
  git(path, "cat-file", "--batch-all-objects", "--batch", "--unordered");

/** A scene in which an agent has published a letter, and then a door on top of it. */
async function published() {
  const scene = await exchangeScene();
  const one = scene.agent("one");
  await one.prepare(scene.base);
  const letter = await one.publish({ "letter.txt": "Dear Grace\n", "again.txt": "1;\n" });
  return { scene, one, letter };
}

const erase = (scene: Scene, ...results: { ref: string; commit: never | string }[]) =>
  scene.repository.eraseCommits(
    instance,
    results.map(({ ref, commit }) => ({ artefact: artefactOf(ref), commit: commit as never })),
  );

test("a commit that nothing else reaches is gone from the repository and from what agents see, and all else is there", async () => {
  const { scene, one, letter } = await published();
  using _ = scene;
  const { path, base } = scene;
  await scene.fetch();
  // A person may still find what no name reaches, and an older file has the content of a new one.
  const lost = git(path, "commit-tree", "-m", "Lost", `${base}^{tree}`);
  const seen = () =>
    execFileSync("git", ["cat-file", "--batch-check", "--batch-all-objects"], {
      ...{ cwd: path, encoding: "utf8" },
      env: { ...process.env, GIT_OBJECT_DIRECTORY: scene.objectsDir },
    });
  expect([contents(path), seen()]).toEqual([
    expect.stringContaining("Dear Grace"),
    expect.stringContaining(letter.commit),
  ]);
  expect(await erase(scene, letter)).toEqual({ erased: [letter.commit], staying: [] });
  expect(contents(path)).not.toContain("Dear Grace");
  expect(seen()).toContain(base);
  expect(seen()).not.toContain(letter.commit);
  expect(git(path, "fsck", "--full", "--no-dangling")).toBe("");
  expect(git(path, "cat-file", "-t", lost)).toBe("commit");
  expect(git(path, "show", `${base}:src/one.ts`)).toBe("1;");
  expect(git(path, "for-each-ref", `refs/sett/${instance}/`)).not.toContain(letter.ref);
  expect(await erase(scene, letter)).toEqual({ erased: [letter.commit], staying: [] });

  // Agents go on, also the one that has made it.
  await one.prepare(base);
  const door = await one.publish({ "door.txt": "red\n" });
  await scene.agent("other").prepare(base);
  await scene.fetch();
  expect(git(path, "cat-file", "-t", door.commit)).toBe("commit");
  const other = scene.agent("other");
  await expect(other.prepare(letter.commit)).rejects.toThrow();
});

test("what was published and not fetched goes as well, and is not published again", async () => {
  const { scene, letter } = await published();
  using _ = scene;
  expect(publishedIn(scene)).toEqual([letter.commit]);
  expect(await erase(scene, letter)).toEqual({ erased: [letter.commit], staying: [] });
  expect(publishedIn(scene)).toEqual([]);
});

test("after git has packed all of a repository, the pack is written anew without it", async () => {
  const { scene, letter } = await published();
  using _ = scene;
  const { path } = scene;
  await scene.fetch();
  git(path, "gc", "--quiet");
  git(path, "multi-pack-index", "write");
  git(path, "config", "core.logAllRefUpdates", "true");
  await erase(scene, letter);
  expect(contents(path)).not.toContain("Dear Grace");
  expect(existsSync(join(path, ".git/objects/pack/multi-pack-index"))).toBe(false);
  expect(git(path, "fsck", "--full", "--no-dangling")).toBe("");
});

test("a commit that a branch, a later result or a reflog reaches stays, and what reaches it is named", async () => {
  const { scene, one, letter } = await published();
  using _ = scene;
  const { path } = scene;
  const later = await one.publish({ "door.txt": "red\n" });
  await scene.fetch();
  expect(await erase(scene, letter)).toEqual({
    erased: [],
    staying: [{ commit: letter.commit, by: [later.ref] }],
  });
  expect(contents(path)).toContain("Dear Grace");
  git(path, "merge", "--quiet", "--ff-only", later.commit);
  const merged = await erase(scene, later);
  expect(merged).toEqual({
    erased: [],
    staying: [{ commit: later.commit, by: ["refs/heads/main"] }],
  });
  git(path, "reset", "--quiet", "--hard", scene.base);
  expect(await erase(scene, letter, later)).toEqual({
    erased: [],
    staying: [letter, later].map(({ commit }) => ({ commit, by: ["a reflog, or what is staged"] })),
  });
  git(path, "reflog", "expire", "--expire=now", "--all");
  expect((await erase(scene, letter, later)).staying).toEqual([]);
  expect(contents(path)).not.toContain("Dear Grace");
  expect(git(path, "fsck", "--full", "--no-dangling")).toBe("");
});

test("a content that only older history has stays, where the commit has brought it back", async () => {
  using host = sampleRepository();
  const { path, base } = host;
  git(path, "rm", "--quiet", "src/one.ts");
  git(path, "commit", "--quiet", "-m", "Remove it");
  const commit = git(path, "commit-tree", "-m", "Back", "-p", "HEAD", `${base}:src`);
  const artefact = newArtefactId();
  git(path, "update-ref", `refs/sett/${instance}/${artefact}`, commit);
  const repository = await HostRepository.open(path, { env: hostEnv });
  const results = [{ artefact, commit: CommitHash.parse(commit) }];
  expect(await repository.eraseCommits(instance, results)).toEqual({
    erased: [CommitHash.parse(commit)],
    staying: [],
  });
  expect(git(path, "show", `${base}:src/one.ts`)).toBe("1;");
  expect(git(path, "fsck", "--full", "--no-dangling")).toBe("");
});
