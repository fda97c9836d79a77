import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
import { denyNewFiles } from "../../support/git/access-list.ts";
import { foldersOf } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  newGoalId,
  sampleRepository,
  temporaryFolder,
  workWith,
  write,
} from "../../support/git/sample-repository.ts";
import { snapshot } from "../../support/git/snapshot.ts";

const isRoot = process.getuid?.() === 0;
const open = (path: string) => HostRepository.open(path, { env: hostEnv });

test("a folder below the top belongs to the repository", async () => {
  using host = sampleRepository();
  const repository = await open(join(host.path, "src"));
  const { place } = repository;
  expect(place).toMatchObject({
    toplevel: host.path,
    gitDir: join(host.path, ".git"),
    objectFormat: "sha1",
  });
  expect(place.objectsDir).toBe(join(host.path, ".git/objects"));
  expect(foldersOf(repository, instance).exchangeDir).toBe(
    join(host.path, ".git/sett/exchange/demo"),
  );
});

test("reading, pinning and making the exchange leave HEAD, index, files and configuration as they were", async () => {
  using host = sampleRepository();
  // Stat data that no longer fits: a git that may would refresh the index.
  utimesSync(join(host.path, "README.md"), 1, 1);
  write(host.path, { "new file": "x" });
  const before = snapshot(host.path);
  const repository = await open(host.path);
  await repository.dirtyFiles();
  await repository.pin(instance, newGoalId(), await repository.head());
  await repository.exchange(instance).make({ writers: [agentName] });
  await repository.showChanges(workWith(host.base));
  await repository.fetchCommits(instance, []);
  await repository.exchange(instance).remove();
  await repository.removeRefs(instance);
  expect(snapshot(host.path)).toEqual(before);
});

test("an access control list that denies new files does not stay on an agent's folder of the exchange", async () => {
  using host = sampleRepository();
  const repository = await open(host.path);
  await repository.exchange(instance).make({ writers: [agentName] });
  const folder = join(foldersOf(repository, instance).exchangeDir, agentName);
  if (!denyNewFiles(folder)) return;
  writeFileSync(join(folder, "before"), "");
  await repository.exchange(instance).make({ writers: [agentName] });
  writeFileSync(join(folder, "after"), "");
  expect(
    ["before", "after"].map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8)),
  ).toEqual(["0", "644"]);
});

test("what is not committed is listed with its state", async () => {
  using host = sampleRepository();
  const repository = await open(host.path);
  expect(await repository.dirtyFiles()).toEqual([]);
  write(host.path, {
    "README.md": "changed",
    "é new": "x",
    "cache/ignored": "x",
    "folder/a": "x",
    "folder/b": "x",
  });
  git(host.path, "mv", "src/one.ts", "src/two.ts");
  expect(await repository.dirtyFiles()).toEqual([
    { state: " M", path: "README.md" },
    { state: "D ", path: "src/one.ts" },
    { state: "A ", path: "src/two.ts" },
    { state: "??", path: "folder/" },
    { state: "??", path: "é new" },
  ]);
});

test.each([
  ["README.md", true],
  ["src/../README.md", true],
  ["new", false],
  ["src", false],
  ["*.md", false],
  ["../README.md", false],
])("%s is a file that git knows: %p", async (path, expected) => {
  using host = sampleRepository();
  write(host.path, { new: "x" });
  expect(await (await open(host.path)).isTracked(`${host.path}/${path}`)).toBe(expected);
});

test("a pinned commit has a ref with the names of the instance and the goal", async () => {
  using host = sampleRepository();
  const repository = await open(host.path);
  const goalId = newGoalId();
  await repository.pin(instance, goalId, await repository.head());
  expect(git(host.path, "rev-parse", settRef(instance, goalId))).toBe(host.base);
});

test("the person is who git's configuration says, and may be missing", async () => {
  using host = sampleRepository();
  expect((await open(host.path)).place.person).toEqual({});
  git(host.path, "config", "user.name", "Ada Lövelace");
  git(host.path, "config", "user.email", "ada@example.invalid");
  git(host.path, "config", "--add", "user.name", "Ada\nByron");
  expect((await open(host.path)).place.person).toEqual({
    name: "Ada\nByron",
    email: "ada@example.invalid",
  });
});

test("a git that calls us, from a hook or an alias, does not mislead us to its repository", async () => {
  using host = sampleRepository();
  using other = sampleRepository();
  const env = {
    ...hostEnv,
    GIT_DIR: join(other.path, ".git"),
    GIT_WORK_TREE: other.path,
    GIT_INDEX_FILE: "/nowhere",
    GIT_PREFIX: "src/",
  };
  const repository = await HostRepository.open(host.path, { env });
  expect(repository.place.toplevel).toBe(host.path);
  expect(await repository.dirtyFiles()).toEqual([]);
});

test("a linked worktree has its own HEAD, and the exchange beside the shared objects", async () => {
  using host = sampleRepository();
  const linked = join(host.root, "linked");
  git(host.path, "worktree", "add", "-q", "-b", "other", linked);
  const commit = commitFiles(linked, { a: "a" });
  const repository = await open(linked);
  expect(await repository.head()).toBe(commit);
  expect(await repository.dirtyFiles()).toEqual([]);
  expect(repository.place.toplevel).toBe(linked);
  expect(foldersOf(repository, instance).exchangeDir).toBe(
    join(host.path, ".git/sett/exchange/demo"),
  );
});

test("a submodule is a repository of its own, kept elsewhere", async () => {
  using host = sampleRepository();
  using part = sampleRepository();
  git(host.path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", part.path, "part");
  const repository = await open(join(host.path, "part"));
  expect(await repository.head()).toBe(part.base);
  expect(await repository.dirtyFiles()).toEqual([]);
  await repository.exchange(instance).make({ writers: [agentName] });
  expect(foldersOf(repository, instance).exchangeDir).toBe(
    join(host.path, ".git/modules/part/sett/exchange/demo"),
  );
});

test("what agents could not work with is refused, with the reason and the way out", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { a: "a" });
  git(host.path, "config", "uploadpack.allowFilter", "true");
  const at = (name: string) => join(host.root, name);
  mkdirSync(at("plain"));
  mkdirSync(at("empty"));
  git(at("empty"), "init", "-q");
  git(host.root, "init", "-q", "--bare", "bare");
  for (const newer of ["extension", "format"]) git(host.root, "clone", "-q", host.path, newer);
  git(at("extension"), "config", "core.repositoryFormatVersion", "1");
  git(at("extension"), "config", "extensions.later", "true");
  git(at("format"), "config", "core.repositoryFormatVersion", "9");
  git(host.root, "clone", "-q", host.path, "beside");
  git(at("beside"), "config", "core.worktree", at("plain"));
  const refusals: Record<string, RegExp> = {
    plain: /is not in a git repository/,
    empty: /has no commits yet/,
    bare: /has no commits yet/,
    "host repo/.git/objects": /inside a repository's own folder/,
    nothing: /There is no folder/,
    extension: /The git of this machine cannot read .*extension: unknown .* found: later\.$/,
    beside: /has its files in another folder/,
    format: /The git of this machine cannot read .*format: .*found 9\.$/,
  };
  for (const [name, reason] of Object.entries(refusals)) {
    const refusal = {
      code: "repository-unusable",
      message: expect.stringMatching(reason),
      hint: expect.any(String),
    };
    await expect(open(at(name))).rejects.toMatchObject(refusal);
  }
});

test.if(isRoot)(
  "containers of a repository owned by root run as 10001, which an agent's folder of the exchange is given to",
  async () => {
    using host = sampleRepository();
    const repository = await open(host.path);
    expect(repository.place.containerUser).toEqual({ uid: 10001, gid: 10001 });
    await repository.exchange(instance).make({ writers: [agentName] });
    const exchangeDir = foldersOf(repository, instance).exchangeDir;
    expect(statSync(join(exchangeDir, agentName))).toMatchObject({ uid: 10001, gid: 10001 });
    // Only the host makes folders for agents.
    expect(statSync(exchangeDir).uid).toBe(0);
    expect(statSync(join(host.path, ".git/sett")).uid).toBe(0);
  },
);

test.if(isRoot)(
  "root serves another user's repository as that user, and leaves nothing in it that the user cannot change",
  async () => {
    using host = sampleRepository();
    execFileSync("chown", ["-R", "1234:2345", host.path]);
    const repository = await open(host.path);
    expect(repository.place.containerUser).toEqual({ uid: 1234, gid: 2345 });
    await repository.pin(instance, newGoalId(), await repository.head());
    await repository.exchange(instance).make({ writers: [agentName] });
    expect(await repository.dirtyFiles()).toEqual([]);
    const foreign = execFileSync("find", [join(host.path, ".git"), "!", "-uid", "1234"], {
      encoding: "utf8",
    });
    expect(foreign).toBe("");
  },
);

test("an exchange that cannot be made is a failure that says where", async () => {
  using host = sampleRepository();
  writeFileSync(join(host.path, ".git/sett"), "in the way");
  const repository = await open(host.path);
  await expect(repository.exchange(instance).make({ writers: [agentName] })).rejects.toThrow(
    `No exchange can be made in ${join(host.path, ".git")}.`,
  );
});

test("a git without a home, in a folder that is no repository, is refused in a sentence", async () => {
  using folder = temporaryFolder();
  await expect(
    HostRepository.open(folder.path, { env: { PATH: process.env.PATH } }),
  ).rejects.toThrow("is not in a git repository");
});
