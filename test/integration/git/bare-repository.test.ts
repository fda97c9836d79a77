// A bare repository as the place of an instance: its files are those of a commit.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
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
  workWith,
  write,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

const open = (path: string) => HostRepository.open(path, { env: hostEnv });

async function bareScene(how: readonly string[] = []) {
  const origin = sampleRepository(how.includes("sha256") ? ["--object-format=sha256"] : []);
  git(origin.path, "config", "uploadpack.allowFilter", "true");
  symlinkSync("one.ts", join(origin.path, "src/link"));
  commitFiles(origin.path, { "agents/é/run.sh": "echo\n", "other/file": "1\n" }, "Agents");
  const path = join(origin.root, "bare.git");
  const filters = how.filter((each) => each !== "sha256");
  git(origin.root, "clone", "-q", "--bare", ...filters, `file://${origin.path}`, path);
  return { ...origin, origin: origin.path, path, [Symbol.dispose]: origin[Symbol.dispose] };
}

test.each(rowsOfDay([[[]], [["sha256"]], [["--filter=blob:none"]], [["--filter=tree:0"]]]))(
  "agents work on the HEAD of a bare repository (%p), and their commits arrive in it",
  async (how) => {
    using scene = await bareScene(how);
    const repository = await open(scene.path);
    expect(repository.place).toMatchObject({ isBare: true, toplevel: scene.path });
    expect(await repository.dirtyFiles()).toEqual([]);
    await repository.exchange(instance).make({ writers: [agentName] });
    const base = await repository.head();
    await repository.pin(instance, newGoalId(), base);
    const workspaceDir = join(scene.root, "agent");
    const copy = copyIn({ workspaceDir, ...foldersOf(repository, instance) });
    await copy.prepare(base);
    const commit = commitFiles(workspaceDir, { new: "by agent\n" }, "By an agent", toolGit);
    await copy.publish(commit, base);
    const result = { artefact: newArtefactId(), commit, agent: agentName };
    const fetched = await repository.fetchCommits(instance, [result]);
    expect(fetched).toMatchObject({ broken: [], imported: [{ commit }] });
    expect(await repository.showChanges(workWith(commit, base), "lines")).toContain("+by agent");
    git(scene.path, "branch", "result", settRef(instance, result.artefact));
    git(scene.path, "fsck", "--full");
    expect(existsSync(join(scene.path, "index"))).toBe(false);
  },
);

test.each(rowsOfDay([[[]], [["--filter=tree:0"]]]))(
  "files of a commit are a folder of their own (%p): what was asked for, and no more",
  async (how) => {
    using scene = await bareScene(how);
    const repository = await open(scene.path);
    const head = await repository.head();
    const folder = await repository.filesOf(head, ["README.md", "no such"]);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("Hello.\n");
    expect(existsSync(join(folder, "src"))).toBe(false);
    expect(await repository.filesOf(head, ["src", "agents/é"])).toBe(folder);
    expect(readlinkSync(join(folder, "src/link"))).toBe("one.ts");
    expect(lstatSync(join(folder, "agents/é/run.sh")).isFile()).toBe(true);
    expect(existsSync(join(folder, "other"))).toBe(false);
    expect(await repository.isTracked(join(folder, "README.md"))).toBe(true);
    expect(await repository.isTracked(join(scene.path, "HEAD"))).toBe(false);

    const before = await repository.resolve("HEAD~1");
    const older = await repository.filesOf(before, ["."]);
    expect(existsSync(join(older, "agents"))).toBe(false);
    await repository.keepFilesOf(before);
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(join(older, "README.md"))).toBe(true);
    await repository.keepFilesOf(undefined);
    expect(existsSync(join(scene.path, "sett/files"))).toBe(false);
  },
);

test("what links of a commit lead to is there as well, and a link out of it is only a link", async () => {
  using scene = await bareScene();
  const { origin, path } = scene;
  const link = (to: string, at: string) => symlinkSync(to, join(origin, at));
  write(origin, { "conf/sett.yml": "version: '1.0'\n", "shared/agents/a/run.sh": "echo\n" });
  link("conf/sett.yml", "sett.yml");
  link("../shared/agents/", "conf/agents");
  link("conf/agents/a", "short");
  link("../../outside", "out");
  link("round", "round");
  commitFiles(origin, {}, "Add links");
  git(path, "fetch", "-q", origin, "+main:main");
  const repository = await open(path);
  const paths = ["sett.yml", "short/run.sh", "out/file", "round"];
  const folder = await repository.filesOf(await repository.head(), paths);
  expect(readFileSync(join(folder, "sett.yml"), "utf8")).toBe("version: '1.0'\n");
  expect(readFileSync(join(folder, "short/run.sh"), "utf8")).toBe("echo\n");
  expect(readlinkSync(join(folder, "out"))).toBe("../../outside");
  expect(existsSync(join(folder, "README.md"))).toBe(false);
});

test("files that an interruption has left half are written again", async () => {
  using scene = await bareScene();
  const repository = await open(scene.path);
  const head = await repository.head();
  const folder = await repository.filesOf(head, ["README.md"]);
  rmSync(`${folder}.paths`);
  truncateSync(join(folder, "README.md"), 2);
  await repository.filesOf(head, ["README.md"]);
  expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("Hello.\n");
});

test("it is worked in also where git takes a bare repository only by its name", async () => {
  using scene = await bareScene();
  const config = join(scene.root, "config");
  writeFileSync(config, "[safe]\n\tbareRepository = explicit\n");
  const strict = { ...hostEnv, GIT_CONFIG_GLOBAL: config };
  const repository = await HostRepository.open(scene.path, { env: strict });
  expect(repository.place.isBare).toBe(true);
  git(scene.path, "worktree", "add", "-q", "../tree", "main");
  const beside = HostRepository.open(scene.path, { env: strict });
  await expect(beside).rejects.toThrow("work trees: tree.");
});

test("files of a commit that look like a bare repository are none, and start no program", async () => {
  using scene = await bareScene();
  const evil = join(scene.origin, "docs");
  git(scene.root, "clone", "-q", "--bare", scene.path, evil);
  git(evil, "update-ref", "refs/heads/kept", "HEAD");
  const started = join(scene.root, "started");
  git(evil, "config", "filter.evil.smudge", `touch '${started}'; cat`);
  git(evil, "config", "core.fsmonitor", `touch '${started}'`);
  commitFiles(scene.origin, {}, "Add pages");
  git(scene.root, "clone", "-q", scene.origin, "person");
  const docs = join(scene.root, "person/docs");
  expect(git(docs, "rev-parse", "--is-bare-repository")).toBe("true");
  await expect(open(docs)).rejects.toMatchObject({
    code: "repository-unusable",
    message: `${docs} is no repository of its own: its files are in the commits of the repository around it.`,
    hint: `Go to that one: cd '${join(scene.root, "person")}'`,
  });
  expect(existsSync(started)).toBe(false);
  // A repository that is beside the files, and in no commit, is one as any other.
  git(join(scene.root, "person"), "clone", "-q", "--bare", ".", "mirror");
  expect((await open(join(scene.root, "person/mirror"))).place.isBare).toBe(true);
});

test("what agents lack of submodules and LFS is said with commands that a bare repository has", async () => {
  using scene = await bareScene();
  using part = sampleRepository();
  const { origin, path } = scene;
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 1\n`;
  commitFiles(origin, { ".gitattributes": "*.bin filter=lfs\n", "a.bin": pointer });
  const url = `file://${part.path}`;
  git(origin, "-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "lib/part");
  commitFiles(origin, {}, "Add a part");
  git(path, "fetch", "-q", origin, "+main:main");
  const repository = await open(path);
  const exchange = repository.exchange(instance);
  const lacking = async () => await exchange.lacking(await repository.head());
  const [submodules, lfs, ...others] = await lacking();
  expect(others).toEqual([]);
  expect(lfs).toMatchObject({ check: "lfs", remedy: expect.stringContaining("`git lfs fetch`") });
  const [, command = ""] = /^`(.*)` brings/.exec(submodules?.remedy ?? "") ?? [];
  const typed = command.replace("ADDRESS", `'${url}'`).replace("NAME", "lib/part");
  execFileSync("sh", ["-c", typed], { env: hostEnv, stdio: "pipe" });
  expect((await lacking()).map(({ check }) => check)).toEqual(["lfs"]);
});

test("a bare repository with an instance stays its place when work trees are added", async () => {
  using scene = await bareScene();
  git(scene.path, "worktree", "add", "-q", "../tree", "main");
  await expect(open(scene.path)).rejects.toThrow("work trees: tree.");
  git(scene.path, "config", `sett.${instance}.worktree`, "");
  expect((await open(scene.path)).place.isBare).toBe(true);
  expect((await open(join(scene.root, "tree"))).place.isBare).toBe(false);
});
