// Shows what agents see of the repository: what the goals of their instance reach.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { GitProgress, GitWait } from "../../../lib/git/run/progress.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
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
import { nightly } from "../../support/nightly.ts";

type Scene = Awaited<ReturnType<typeof exchangeScene>>;

/** Every object that is in the store. */
function objectsIn({ objectsDir, path }: Pick<Scene, "objectsDir" | "path">): string[] {
  const env = {
    ...hostEnv,
    GIT_OBJECT_DIRECTORY: objectsDir,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: "",
  };
  const args = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"];
  return execFileSync("git", args, { cwd: path, env, encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

const reachable = ({ path }: Scene, ...commits: string[]) =>
  git(path, "rev-list", "--objects", "--no-object-names", ...commits)
    .split("\n")
    .sort();
const packsIn = ({ objectsDir }: Scene) =>
  readdirSync(join(objectsDir, "pack")).filter((name) => name.endsWith(".pack"));
const state = ({ repository }: Scene, commit: CommitHash) =>
  repository.pin(instance, newGoalId(), commit);

test("it is packed once, with progress: a goal on the same commit packs nothing more", async () => {
  using host = sampleRepository();
  const repository = await HostRepository.open(host.path, { env: hostEnv });
  const exchange = repository.exchange(instance);
  const { objectsDir } = foldersOf(repository, instance);
  const counts: (GitProgress | GitWait)[] = [];
  const onProgress = (each: GitProgress | GitWait) => counts.push(each);
  const wanted = { writers: [agentName], onProgress };
  await exchange.make(wanted);
  const count = Number(git(host.path, "rev-list", "--objects", "--count", "HEAD"));
  expect(counts.at(-1)).toEqual({ what: "Writing objects", done: count, of: count });
  const before = readdirSync(join(objectsDir, "pack"));
  counts.length = 0;
  await exchange.make(wanted);
  await repository.pin(instance, newGoalId(), host.base);
  expect(counts).toEqual([]);
  expect(readdirSync(join(objectsDir, "pack"))).toEqual(before);
});

test("it has what the goal's commit reaches, and neither stashes, staged files, other branches nor what was removed", async () => {
  using scene = await exchangeScene();
  const secret = commitFiles(scene.path, { secret: "committed once\n" }, "Secret");
  git(scene.path, "reset", "-q", "--hard", scene.base);
  commitFiles(scene.path, { other: "on another branch\n" }, "Other");
  git(scene.path, "branch", "other");
  git(scene.path, "reset", "-q", "--hard", scene.base);
  execFileSync(
    "sh",
    ["-c", "echo stashed > stashed; echo staged > staged; git add staged; git stash -q -u"],
    {
      cwd: scene.path,
      env: hostEnv,
    },
  );
  const next = commitFiles(scene.path, { "src/one.ts": "2;\n" }, "Next");
  await state(scene, next);
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, next));
  const reader = scene.agent("reader");
  await reader.prepare(next);
  for (const hidden of [secret, "stash@{0}", "other"].map((name) =>
    git(scene.path, "rev-parse", name),
  ))
    expect(() => toolGit(reader.folder, "cat-file", "-e", hidden)).toThrow();
});

test("a later goal adds only what is new, and a goal on the same commit nothing", async () => {
  using scene = await exchangeScene();
  const [first] = packsIn(scene);
  await state(scene, scene.base);
  expect(packsIn(scene)).toEqual([first as string]);
  const next = commitFiles(scene.path, { later: "1\n" }, "Later");
  await state(scene, next);
  const [second] = packsIn(scene).filter((name) => name !== first);
  // A commit, a tree and a file.
  expect(readFileSync(join(scene.objectsDir, "pack", second ?? "")).readUInt32BE(8)).toBe(3);
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, next));
});

test("the first goal after HEAD has moved on adds only what is new, too", async () => {
  using scene = await exchangeScene();
  const [first] = packsIn(scene);
  const next = commitFiles(scene.path, { "src/one.ts": "2;\n" }, "Next");
  await state(scene, next);
  const added = packsIn(scene).filter((name) => name !== first);
  expect(added).toHaveLength(1);
  const shown = execFileSync(
    "git",
    ["verify-pack", "-v", join(scene.objectsDir, "pack", added[0] ?? "")],
    { encoding: "utf8" },
  );
  const names = shown.split("\n").flatMap((line) => /^[0-9a-f]{40}(?= )/.exec(line)?.[0] ?? []);
  expect(names.sort()).toEqual(reachable(scene, next, `^${scene.base}`));
});

test("what an earlier goal has shown is gone when its names are deleted and the store is made anew", async () => {
  using scene = await exchangeScene();
  const secret = commitFiles(scene.path, { secret: "committed once\n" }, "Secret");
  await state(scene, secret);
  git(scene.path, "reset", "-q", "--hard", scene.base);
  const next = commitFiles(scene.path, { "src/one.ts": "2;\n" }, "Next");
  await state(scene, next);
  expect(objectsIn(scene)).toContain(secret);
  const names = git(
    scene.path,
    "for-each-ref",
    "--format=%(refname)",
    `--contains=${secret}`,
    `refs/sett/${instance}/`,
  );
  for (const name of names.split("\n").filter(Boolean)) git(scene.path, "update-ref", "-d", name);
  rmSync(scene.objectsDir, { recursive: true });
  await scene.repository.exchange(instance).make({ writers: [agentName] });
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, next));
});

test("each instance has its own, which goes with it", async () => {
  using scene = await exchangeScene();
  const other = InstanceName.parse("other");
  const next = commitFiles(scene.path, { later: "1\n" }, "Later");
  await scene.repository.exchange(other).make({ writers: [] });
  const objectsDir = foldersOf(scene.repository, other).objectsDir;
  expect(objectsIn({ ...scene, objectsDir }).sort()).toEqual(reachable(scene, next));
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, scene.base));
  await scene.repository.exchange(other).remove();
  expect(readdirSync(join(scene.path, ".git/sett/objects"))).toEqual([instance as string]);
});

test("what an instance has on record from before is put into it", async () => {
  using scene = await exchangeScene();
  const next = commitFiles(scene.path, { later: "1\n" }, "Later");
  git(scene.path, "update-ref", `refs/sett/${instance}/${newGoalId()}`, next);
  git(scene.path, "reset", "-q", "--hard", scene.base);
  await scene.repository.exchange(instance).make({ writers: [agentName] });
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, next));
});

nightly("many goals are one pack again, while agents go on reading", async () => {
  using scene = await exchangeScene();
  const reader = scene.agent("reader");
  const commits = [scene.base];
  for (let number = 0; number < 55; number += 1) {
    commits.push(commitFiles(scene.path, { [`file${number}`]: `${number}\n` }, `Commit ${number}`));
    await state(scene, commits.at(-1) ?? scene.base);
    if (number % 9 === 0) await reader.prepare(commits[number] ?? scene.base);
  }
  expect(packsIn(scene).length).toBeLessThan(10);
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, ...commits));
});

test("two goals that are posted at the same time are both there", async () => {
  using scene = await exchangeScene();
  const commits = ["a", "b", "c", "d"].map((name) => {
    git(scene.path, "reset", "-q", "--hard", scene.base);
    return commitFiles(scene.path, { [name]: name }, name);
  });
  await Promise.all(commits.map((commit) => state(scene, commit)));
  expect(objectsIn(scene).sort()).toEqual(reachable(scene, ...commits));
});

test("with a limited history it has the newest commits, and another limit writes it anew", async () => {
  using scene = await exchangeScene();
  const old = git(scene.path, "rev-parse", "HEAD:README.md");
  for (let number = 1; number <= 9; number += 1)
    commitFiles(scene.path, { "README.md": `${number}\n` }, `Commit ${number}`);
  const head = await scene.repository.head();
  await scene.repository.removeRefs(instance);
  const seen = async (history?: number) => {
    await scene.repository.exchange(instance).make({ writers: [agentName], history: history });
    const reader = scene.agent("reader");
    await reader.prepare(await scene.repository.head());
    expect(toolGit(reader.folder, "fsck", "--full", "--no-dangling")).toBe("");
    return toolGit(reader.folder, "log", "--format=%s").split("\n");
  };
  expect(await seen(3)).toEqual(["Commit 9", "Commit 8", "Commit 7"]);
  expect(objectsIn(scene)).not.toContain(old);
  // A goal that is stated later is cut where its own history is, and an agent's commit arrives.
  const next = commitFiles(scene.path, { "README.md": "10\n" }, "Commit 10");
  await state(scene, next);
  const agent = scene.agent("one");
  await agent.prepare(next);
  expect(toolGit(agent.folder, "log", "--format=%s").split("\n").at(0)).toBe("Commit 10");
  const commit = commitFiles(agent.folder, { a: "a" }, "By an agent", toolGit);
  await agent.copy.publish(commit, next);
  const made = scene.record(commit, "");
  expect(await scene.fetch()).toEqual({ imported: [made], broken: [] });
  await scene.repository.removeRefs(instance);
  expect(await seen(5)).toEqual(["Commit 10", "Commit 9", "Commit 8", "Commit 7", "Commit 6"]);
  expect(await seen(5)).toHaveLength(5);
  expect(await seen()).toHaveLength(11);
  expect(objectsIn(scene)).toEqual(expect.arrayContaining([old, head as string]));
});

test.each(["cut off", "put together"])(
  "agents see the history that is stored, also where grafts and replacements have it %s",
  async (how) => {
    using host = sampleRepository();
    for (const number of [1, 2, 3]) commitFiles(host.path, { file: `${number}\n` }, `${number}`);
    git(host.path, "checkout", "-q", "--orphan", "older");
    const older = commitFiles(host.path, { older: "a\n" }, "Older");
    git(host.path, "checkout", "-q", "main");
    const [middle, isCut] = [git(host.path, "rev-parse", "HEAD~1"), how === "cut off"];
    const grafts = isCut ? [middle] : [host.base, older];
    appendFileSync(join(host.path, ".git/info/grafts"), `${grafts.join(" ")}\n`);
    git(host.path, "replace", "--graft", "HEAD~1", ...(isCut ? [] : ["HEAD~2", older]));
    expect(git(host.path, "rev-list", "--count", "HEAD")).toBe(isCut ? "2" : "5");
    const repository = await HostRepository.open(host.path, { env: hostEnv });
    await repository.exchange(instance).make({ writers: [agentName] });
    const base = await repository.head();
    await repository.pin(instance, newGoalId(), base);
    const folder = join(host.root, "agent");
    const copy = copyIn({ workspaceDir: folder, ...foldersOf(repository, instance) });
    await copy.prepare(base);
    expect(toolGit(folder, "log", "--format=%s")).toBe("3\n2\n1\nStart");
    expect(toolGit(folder, "fsck", "--full")).toBe("");
    const commit = commitFiles(folder, { new: "a\n" }, "By an agent", toolGit);
    await copy.publish(commit, base);
    const result = { artefact: newArtefactId(), commit, agent: agentName };
    const fetched = await repository.fetchCommits(instance, [result]);
    expect(fetched).toMatchObject({ broken: [], imported: [{ commit }] });
  },
);

test("a repository that borrows its objects from another one can be worked on", async () => {
  using origin = sampleRepository();
  git(origin.root, "clone", "-q", "--shared", origin.path, "borrowing");
  const repository = await HostRepository.open(join(origin.root, "borrowing"), { env: hostEnv });
  await repository.exchange(instance).make({ writers: [agentName] });
  const { objectsDir } = foldersOf(repository, instance);
  expect(objectsIn({ objectsDir, path: origin.path })).toContain(origin.base);
});

test.if(process.getuid?.() === 0)(
  "every user can read it, whatever the umask is, and only its owner can write",
  async () => {
    using host = sampleRepository();
    execFileSync("chown", ["-R", "1234:2345", host.path]);
    const before = process.umask(0o077);
    try {
      const repository = await HostRepository.open(host.path, { env: hostEnv });
      await repository.exchange(instance).make({ writers: [agentName], history: 1 });
      const { objectsDir } = foldersOf(repository, instance);
      for (const name of ["", ...readdirSync(objectsDir, { recursive: true, encoding: "utf8" })]) {
        const stats = statSync(join(objectsDir, name));
        expect([name, stats.uid, stats.mode & 0o077]).toEqual([
          name,
          1234,
          stats.isDirectory() ? 0o055 : 0o044,
        ]);
      }
    } finally {
      process.umask(before);
    }
  },
);
