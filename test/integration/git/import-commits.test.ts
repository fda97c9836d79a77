import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { settRef } from "../../../lib/git/refs.ts";
import { CommitHash, InstanceName } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { bareGit, commitFiles, git, hostEnv, instance, newArtefactId, toolGit } from "../../support/git/sample-repository.ts";
import { snapshot } from "../../support/git/snapshot.ts";

test("a published commit reaches the host, and nothing of the user's changes", async () => {
  using scene = await exchangeScene();
  commitFiles(scene.path, { later: "the user goes on\n" });
  const before = snapshot(scene.path);
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const { ref, commit } = await agent.publish({ "src/one.ts": "one\n" }, scene.base);
  expect(await scene.fetch()).toEqual({ imported: [{ ref, commit }], broken: [], altered: [] });
  expect(await scene.repository.showChanges(commit)).toContain("src/one.ts | 2 +-");
  expect(snapshot(scene.path)).toEqual(before);
  expect(git(scene.path, "log", "--format=%s", ref)).toBe("By an agent\nStart");
});

test("a result outlives the exchange and a clean-up of the host's repository", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const { ref, commit } = await agent.publish({ "src/one.ts": "one\n" }, scene.base);
  await scene.fetch();
  await scene.repository.removeExchange();
  expect(existsSync(join(scene.path, ".git/sett"))).toBe(false);
  git(scene.path, "gc", "-q", "--prune=now");
  expect(git(scene.path, "fsck", "--full")).toBe("");
  git(scene.path, "merge", "-q", ref);
  expect(git(scene.path, "rev-parse", "HEAD")).toBe(commit);
  expect(readdirSync(join(scene.path, ".git/objects/pack")).filter((name) => name.endsWith(".keep"))).toEqual([]);
});

test("a pinned base outlives an amended commit and a clean-up, so agents that borrowed from it work on", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  git(scene.path, "commit", "-q", "--amend", "-m", "Another start");
  git(scene.path, "reflog", "expire", "--expire=now", "--all");
  git(scene.path, "gc", "-q", "--prune=now");
  const { ref, commit } = await agent.publish({ a: "a" }, scene.base);
  expect((await scene.fetch()).imported).toEqual([{ ref, commit }]);
  expect(git(scene.path, "fsck", "--full")).toBe("");
});

test("a second fetch brings only what is new, and two at the same time agree", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const first = await agent.publish({ a: "a" }, scene.base);
  await scene.fetch();
  expect(await scene.fetch()).toEqual({ imported: [], broken: [], altered: [] });
  const second = await agent.publish({ b: "b" }, first.commit);
  const both = await Promise.all([scene.fetch(), scene.fetch()]);
  expect(both.flatMap(({ broken }) => broken)).toEqual([]);
  expect(git(scene.path, "rev-parse", second.ref)).toBe(second.commit);
});

test("an exchange is not there: there is nothing to fetch", async () => {
  using scene = await exchangeScene();
  await scene.repository.removeExchange();
  expect(await scene.fetch()).toEqual({ imported: [], broken: [], altered: [] });
});

test("a commit that is nowhere is reported, all others arrive, and it comes when it is there", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const missing = scene.record(CommitHash.parse("0123456789".repeat(4)));
  const good = await agent.publish({ a: "a" }, scene.base);
  const tree = scene.record(CommitHash.parse(git(scene.path, "rev-parse", "HEAD^{tree}")));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([good]);
  expect(fetched.broken).toEqual([
    { ...missing, reason: "Its objects are neither in the exchange nor in the repository." },
    { ...tree, reason: "It is no commit, but a tree." },
  ]);
  for (const { ref } of [missing, tree]) expect(() => git(scene.path, "rev-parse", "--verify", "--quiet", ref)).toThrow();
});

test("a commit that the repository has already gets its name", async () => {
  using scene = await exchangeScene();
  const named = scene.record(scene.base);
  expect(await scene.fetch()).toEqual({ imported: [named], broken: [], altered: [] });
  expect(git(scene.path, "rev-parse", named.ref)).toBe(scene.base);
});

test("a ref that names another commit here is reported and left as it is", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const result = await agent.publish({ a: "a" }, scene.base);
  git(scene.path, "update-ref", result.ref, scene.base);
  expect(await scene.fetch()).toEqual({
    imported: [],
    broken: [{ ...result, reason: `${result.ref} names ${scene.base} here.` }],
    altered: [],
  });
  expect(git(scene.path, "rev-parse", result.ref)).toBe(scene.base);
});

test("configuration and hooks that an agent leaves in the exchange start nothing on the host", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const commit = commitFiles(agent.folder, { a: "a" }, "Without its file", toolGit);
  const proof = join(scene.root, "proof");
  const program = join(scene.root, "program");
  writeFileSync(program, `#!/bin/sh\ntouch '${proof}'\n`);
  chmodSync(program, 0o755);
  // A commit whose file is missing, and the promise that this program delivers it: older gits start it at a fetch by path.
  for (const object of [commit, toolGit(agent.folder, "rev-parse", "HEAD^{tree}")]) {
    const path = join("objects", object.slice(0, 2), object.slice(2));
    mkdirSync(dirname(join(scene.exchangeDir, path)), { recursive: true });
    copyFileSync(join(agent.folder, ".git", path), join(scene.exchangeDir, path));
  }
  const { ref } = scene.record(commit);
  mkdirSync(dirname(join(scene.exchangeDir, ref)), { recursive: true });
  writeFileSync(join(scene.exchangeDir, ref), `${commit}\n`);
  const promise = `[remote "evil"]\n\tpromisor = true\n\turl = ${scene.path}\n\tuploadpack = '${program}'\n`;
  appendFileSync(join(scene.exchangeDir, "config"), `[extensions]\n\tpartialClone = evil\n${promise}`);
  appendFileSync(join(scene.exchangeDir, "config"), `[core]\n\trepositoryFormatVersion = 1\n\thooksPath = "${scene.root}"\n`);
  copyFileSync(program, join(scene.root, "reference-transaction"));
  const fetched = await scene.fetch();
  expect(fetched.broken).toMatchObject([{ ref, commit }]);
  expect(existsSync(proof)).toBe(false);
});

test("an exchange that has served before is taken up again, and a damaged one is refused", async () => {
  using scene = await exchangeScene();
  const { ino } = statSync(scene.exchangeDir);
  await scene.repository.createExchange();
  expect(statSync(scene.exchangeDir).ino).toBe(ino);
  rmSync(join(scene.exchangeDir, "objects/info/alternates"));
  symlinkSync("/etc/passwd", join(scene.exchangeDir, "objects/info/alternates"));
  await expect(scene.repository.createExchange()).rejects.toMatchObject({ code: "repository-unusable" });
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
  const commit = CommitHash.parse(git(folder, "commit-tree", "-p", scene.base, "-m", "Same files", `${scene.base}^{tree}`));
  const pack = execFileSync("sh", ["-c", "git pack-objects -q --revs --stdout"], {
    cwd: folder,
    env: hostEnv,
    input: `${commit}\n^${scene.base}\n`,
  });
  execFileSync("git", ["--git-dir=.", "index-pack", "--stdin"], {
    cwd: repository.exchangeDir,
    env: hostEnv,
    input: pack,
    stdio: ["pipe", "ignore", "pipe"],
  });
  rmSync(join(folder, ".git/objects", commit.slice(0, 2), commit.slice(2)));
  bareGit(repository.exchangeDir, "update-ref", ref, commit);
  expect((await repository.fetchCommits(instance, [{ artefact, commit }])).imported).toEqual([{ ref, commit }]);
  expect(git(folder, "cat-file", "-t", ref)).toBe("commit");
});
