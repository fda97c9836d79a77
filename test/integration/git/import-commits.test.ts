import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
import { CommitHash, InstanceName } from "../../../lib/model/ids.ts";
import { exchangeScene, sceneWithResult } from "../../support/git/exchange-scene.ts";
import { agentsGit, copyIn, foldersOf } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  workWith,
} from "../../support/git/sample-repository.ts";
import { snapshot } from "../../support/git/snapshot.ts";

test("a published commit reaches the host, and nothing of the user's changes", async () => {
  using scene = await exchangeScene();
  commitFiles(scene.path, { later: "the user goes on\n" });
  const before = snapshot(scene.path);
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const made = await agent.publish({ "src/one.ts": "one\n" });
  const { ref, commit } = made;
  expect(await scene.fetch()).toEqual({ imported: [made], broken: [] });
  expect(await scene.repository.showChanges(workWith(commit))).toContain("src/one.ts | 2 +-");
  expect(snapshot(scene.path)).toEqual(before);
  expect(git(scene.path, "log", "--format=%s", ref)).toBe("By an agent\nStart");
});

test("a result outlives the exchange and a clean-up of the host's repository", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const { ref, commit } = await agent.publish({ "src/one.ts": "one\n" });
  await scene.fetch();
  await scene.repository.exchange(instance).remove();
  expect(existsSync(join(scene.path, ".git/sett"))).toBe(false);
  git(scene.path, "gc", "-q", "--prune=now");
  expect(git(scene.path, "fsck", "--full")).toBe("");
  git(scene.path, "merge", "-q", ref);
  expect(git(scene.path, "rev-parse", "HEAD")).toBe(commit);
  expect(
    readdirSync(join(scene.path, ".git/objects/pack")).filter((name) => name.endsWith(".keep")),
  ).toEqual([]);
});

test("a pinned base outlives an amended commit and a clean-up, so agents that borrowed from it work on", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  git(scene.path, "commit", "-q", "--amend", "-m", "Another start");
  git(scene.path, "reflog", "expire", "--expire=now", "--all");
  git(scene.path, "gc", "-q", "--prune=now");
  const made = await agent.publish({ a: "a" });
  expect((await scene.fetch()).imported).toEqual([made]);
  expect(git(scene.path, "fsck", "--full")).toBe("");
});

test("a second fetch brings only what is new, and two at the same time agree", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  await agent.publish({ a: "a" });
  await scene.fetch();
  expect(await scene.fetch()).toEqual({ imported: [], broken: [] });
  const second = await agent.publish({ b: "b" });
  const both = await Promise.all([scene.fetch(), scene.fetch()]);
  expect(both.flatMap(({ broken }) => broken)).toEqual([]);
  expect(git(scene.path, "rev-parse", second.ref)).toBe(second.commit);
});

test("an exchange is not there: there is nothing to fetch", async () => {
  using scene = await exchangeScene();
  await scene.repository.exchange(instance).remove();
  expect(await scene.fetch()).toEqual({ imported: [], broken: [] });
});

test("a commit that is nowhere is reported, all others arrive, and it comes when it is there", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const missing = scene.record(CommitHash.parse("0123456789".repeat(4)));
  const good = await agent.publish({ a: "a" });
  const tree = scene.record(CommitHash.parse(git(scene.path, "rev-parse", "HEAD^{tree}")));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([good]);
  expect(fetched.broken).toEqual([
    { ...missing, reason: "Its objects are neither in the exchange nor in the repository." },
    { ...tree, reason: "It is no commit, but a tree." },
  ]);
  for (const { ref } of [missing, tree])
    expect(() => git(scene.path, "rev-parse", "--verify", "--quiet", ref)).toThrow();
});

test("a commit that the repository has already gets its name", async () => {
  using scene = await exchangeScene();
  const named = scene.record(scene.base);
  expect(await scene.fetch()).toEqual({ imported: [named], broken: [] });
  expect(git(scene.path, "rev-parse", named.ref)).toBe(scene.base);
});

test("a ref that names another commit here is reported and left as it is", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const result = await agent.publish({ a: "a" });
  git(scene.path, "update-ref", result.ref, scene.base);
  expect(await scene.fetch()).toEqual({
    imported: [],
    broken: [{ ...result, reason: `${result.ref} names ${scene.base} here.` }],
  });
  expect(git(scene.path, "rev-parse", result.ref)).toBe(scene.base);
});

test("each instance has an exchange of its own, and the last one takes the folder along", async () => {
  using scene = await sceneWithResult();
  const other = InstanceName.parse("demo-2");
  await scene.repository.exchange(other).make({ writers: [agentName] });
  expect(await scene.repository.exchange(other).mayHoldResults()).toBe(false);
  expect(await scene.repository.exchange(instance).mayHoldResults()).toBe(true);
  await scene.repository.exchange(other).remove();
  expect((await scene.fetch()).imported).toEqual([scene.good]);
  await scene.repository.exchange(instance).remove();
  expect(existsSync(join(scene.path, ".git/sett"))).toBe(false);
  expect(await scene.repository.exchange(instance).mayHoldResults()).toBe(false);
});

test("the refs of one instance go, those of others and the user's stay", async () => {
  using scene = await exchangeScene();
  const other = InstanceName.parse("demo-2");
  await scene.repository.pin(other, scene.goalId, scene.base);
  await scene.repository.removeRefs(instance);
  await scene.repository.removeRefs(instance);
  expect(git(scene.path, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
    "refs/heads/main",
    settRef(other, scene.goalId),
  ]);
});

test("paths with a colon, quotes and a backslash, and SHA-256 hashes, are no obstacle", async () => {
  using scene = await exchangeScene(["--object-format=sha256"]);
  const folder = join(scene.root, `a:b "c" \\d`);
  renameSync(scene.path, folder);
  const repository = await HostRepository.open(folder, { env: hostEnv });
  expect(repository.place.objectFormat).toBe("sha256");
  const artefact = newArtefactId();
  const ref = settRef(instance, artefact);
  const commit = CommitHash.parse(
    git(folder, "commit-tree", "-p", scene.base, "-m", "Same files", `${scene.base}^{tree}`),
  );
  const revisions = { cwd: folder, env: hostEnv, input: `${commit}\n^${scene.base}\n` };
  const pack = execFileSync("git", ["pack-objects", "-q", "--revs", "--stdout"], revisions);
  writeFileSync(
    join(foldersOf(repository, instance).exchangeDir, agentName, `${commit}.pack`),
    pack,
  );
  rmSync(join(folder, ".git/objects", commit.slice(0, 2), commit.slice(2)));
  const recorded = { commit, agent: agentName };
  const program = agentsGit;
  const place = {
    ...foldersOf(repository, instance),
    workspaceDir: join(scene.root, 'w:x "y"'),
  };
  const copy = copyIn({ git: program, agentName, ...place });
  await copy.prepare(commit, [recorded]);
  expect(await copy.head()).toBe(commit);
  await copy.publish(commit, scene.base);
  expect((await repository.fetchCommits(instance, [{ artefact, ...recorded }])).imported).toEqual([
    { ref, ...recorded },
  ]);
  expect(git(folder, "cat-file", "-t", ref)).toBe("commit");
});
