// Shows what the API does in its container with a repository of which it may write two folders
// alone.
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorOf } from "../../support/error-of.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import {
  commitFiles,
  git,
  instance,
  newGoalId,
  workWith,
} from "../../support/git/sample-repository.ts";

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
