// The clones that forges make for their CI: the last commits alone.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import { agentsGit, copyIn, foldersOf } from "../../support/git/folders.ts";
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
  workWith,
} from "../../support/git/sample-repository.ts";

/**
 * A clone of the last `depth` of five commits, with a goal pinned, and the origin that it was made
 * from.
 */
async function shallowScene(depth: number) {
  const origin = sampleRepository();
  for (const number of [1, 2, 3, 4])
    commitFiles(origin.path, { [`file${number}`]: `${number}\n` }, `Commit ${number}`);
  const path = join(origin.root, "shallow");
  git(origin.root, "clone", "-q", `--depth=${depth}`, `file://${origin.path}`, path);
  const repository = await HostRepository.open(path, { env: hostEnv });
  await repository.exchange(instance).make({ writers: [agentName] });
  const state = async () => {
    const base = await repository.head();
    await repository.pin(instance, newGoalId(), base);
    return base;
  };
  const workspaceDir = join(origin.root, "agent");
  const cub = agentsGit;
  const copy = copyIn({
    git: cub,
    agentName,
    ...foldersOf(repository, instance),
    workspaceDir,
  });
  const publish = async (files: Record<string, string>, start: CommitHash) => {
    const artefact = newArtefactId();
    const commit = commitFiles(workspaceDir, files, "By an agent", toolGit);
    await copy.publish(commit, start);
    return { artefact, commit, agent: agentName };
  };
  return {
    ...origin,
    origin: origin.path,
    path,
    repository,
    state,
    copy,
    workspaceDir,
    publish,
    [Symbol.dispose]: origin[Symbol.dispose],
  };
}

test.each([1, 2])(
  "agents work on a clone of depth %d, see the history that is there, and their commits arrive",
  async (depth) => {
    using scene = await shallowScene(depth);
    const base = await scene.state();
    await scene.copy.prepare(base);
    expect(toolGit(scene.workspaceDir, "log", "--format=%s").split("\n")).toHaveLength(depth);
    expect(toolGit(scene.workspaceDir, "status", "--porcelain")).toBe("");
    const first = await scene.publish({ a: "a" }, base);
    const second = await scene.publish({ b: "b" }, base);
    const fetched = await scene.repository.fetchCommits(instance, [first, second]);
    expect(fetched).toMatchObject({
      broken: [],
      imported: [{ commit: first.commit }, { commit: second.commit }],
    });
    expect(await scene.repository.showChanges(workWith(second.commit, base))).toStartWith(
      "2 commits since",
    );
    git(scene.path, "merge", "-q", settRef(instance, second.artefact));
    expect(git(scene.path, "fsck", "--full")).toBe("");
    expect(git(scene.path, "log", "--format=%s").split("\n")).toHaveLength(depth + 2);
  },
);

test("a goal that is posted after a deeper fetch of the clone is worked on, at any depth", async () => {
  using scene = await shallowScene(1);
  await scene.copy.prepare(await scene.state());
  commitFiles(scene.origin, { later: "1\n" }, "Between");
  commitFiles(scene.origin, { later: "2\n" }, "Later");
  git(scene.path, "fetch", "-q", "--depth=1", "origin", "main");
  git(scene.path, "reset", "-q", "--hard", "FETCH_HEAD");
  const later = await scene.state();
  await scene.copy.prepare(later);
  expect(toolGit(scene.workspaceDir, "log", "--format=%s")).toBe("Later");

  git(scene.path, "fetch", "-q", "--unshallow");
  const whole = await scene.state();
  await scene.copy.prepare(whole);
  expect(toolGit(scene.workspaceDir, "log", "--format=%s").split("\n")).toHaveLength(7);
  expect(existsSync(join(scene.workspaceDir, ".git/shallow"))).toBe(false);
});

test("a commit that is older than the history of the clone is asked for with a sentence", async () => {
  using scene = await shallowScene(2);
  const unshallow = { hint: expect.stringContaining("git fetch --unshallow") };
  await expect(scene.repository.resolve("HEAD~3")).rejects.toMatchObject(unshallow);
  await expect(scene.repository.commit(scene.base)).rejects.toMatchObject(unshallow);
});
