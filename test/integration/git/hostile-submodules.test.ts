// What a commit says of submodules, by which its author means to reach something else.
import { expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import {
  commitFiles,
  git,
  instance,
  newGoalId,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

/** A private repository beside the person's, and a commit that names its commit at a path. */
async function hostileScene() {
  const scene = await exchangeScene();
  const secret = join(scene.root, "secret");
  mkdirSync(secret);
  git(secret, "init", "-q", "-b", "main");
  const hidden = commitFiles(secret, { secret: "secret" });
  const { path } = scene;
  const commitWith = (modules: string, at = "part") => {
    writeFileSync(join(path, ".gitmodules"), modules);
    git(path, "add", ".gitmodules");
    git(path, "update-index", "--add", "--cacheinfo", `160000,${hidden},${at}`);
    git(path, "commit", "-q", "-m", "Names a submodule");
    return CommitHash.parse(git(path, "rev-parse", "HEAD"));
  };
  /** What an agent has in the folder, after a person has stated a goal at the commit. */
  const filesFor = async (commit: CommitHash, at = "part") => {
    await scene.repository.pin(instance, newGoalId(), commit);
    const agent = scene.agent("coder");
    await agent.prepare(commit);
    return readdirSync(join(agent.folder, at));
  };
  const lacking = (commit: CommitHash) => scene.repository.exchange(instance).lacking(commit);
  return {
    ...{ ...scene, secret, hidden, commitWith, filesFor, lacking },
    [Symbol.dispose]: scene[Symbol.dispose],
  };
}

const named = (name: string, more = "") => `[submodule "${name}"]\n\tpath = part\n${more}`;

test.each(
  rowsOfDay(
    [
      "../../../secret/.git",
      "../modules/../../../secret/.git",
      "x/../../../../secret/.git",
      "/secret/.git",
      "",
      ".",
      "x//y",
    ],
    3,
  ),
)("the name %p leads to no repository beside this one", async (name) => {
  using scene = await hostileScene();
  mkdirSync(join(scene.path, ".git/modules/x/y"), { recursive: true });
  const commit = scene.commitWith(named(name));
  expect(await scene.filesFor(commit)).toEqual([]);
  expect(await scene.lacking(commit)).toMatchObject([
    { found: expect.stringContaining("is an empty folder for agents: part") },
  ]);
});

test("a link among the modules, and a file `.git` in the folder, are not followed", async () => {
  using scene = await hostileScene();
  const modules = join(scene.path, ".git/modules");
  mkdirSync(modules);
  symlinkSync(join(scene.secret, ".git"), join(modules, "part"));
  mkdirSync(join(modules, "inner"));
  symlinkSync(join(scene.secret, ".git/objects"), join(modules, "inner/objects"));
  for (const name of ["part", "inner"])
    expect(await scene.filesFor(scene.commitWith(named(name)))).toEqual([]);
  mkdirSync(join(scene.path, "part"));
  writeFileSync(join(scene.path, "part/.git"), `gitdir: ${join(scene.secret, ".git")}\n`);
  expect(await scene.filesFor(scene.commitWith(named("file")))).toEqual([]);
  rmSync(join(scene.path, "part"), { recursive: true });
  symlinkSync(scene.secret, join(scene.path, "part"));
  expect(await scene.filesFor(scene.commitWith(named("link")))).toEqual([]);
});

test("addresses and commands in .gitmodules are never used", async () => {
  using scene = await hostileScene();
  const [proof, modules] = [join(scene.root, "proof"), join(scene.path, ".git/modules")];
  const more = [
    `\turl = ext::sh -c touch% '${proof}'`,
    `\tupdate = !touch '${proof}'`,
    "\tignore = all",
    `[core]\n\tfsmonitor = touch '${proof}'\n\tsshCommand = touch '${proof}'`,
    `[include]\n\tpath = ${join(scene.root, "evil")}`,
    `[alias]\n\tconfig = !touch '${proof}'`,
  ].join("\n");
  const commit = scene.commitWith(named("part", `${more}\n`));
  expect(await scene.filesFor(commit)).toEqual([]);
  mkdirSync(modules);
  renameSync(join(scene.secret, ".git"), join(modules, "part"));
  // The person's own settings of a submodule start nothing either.
  git(join(modules, "part"), "config", "core.fsmonitor", `touch '${proof}'`);
  git(join(modules, "part"), "config", "core.alternateRefsCommand", `touch '${proof}'`);
  git(join(modules, "part"), "config", "uploadpack.packObjectsHook", `touch '${proof}'`);
  expect((await scene.filesFor(commit)).toSorted()).toEqual([".git", "secret"]);
  expect(existsSync(proof)).toBe(false);
});

test("a folder's name writes nothing else into the configuration", async () => {
  using scene = await hostileScene();
  const modules = join(scene.path, ".git/modules");
  mkdirSync(modules);
  renameSync(join(scene.secret, ".git"), join(modules, "part"));
  const at = 'a"]\n[core]\n\tfsmonitor = touch pwned\n[x "';
  const path = at.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  const commit = scene.commitWith(`[submodule "part"]\n\tpath = "${path}"\n`, at);
  expect((await scene.filesFor(commit, at)).toSorted()).toEqual([".git", "secret"]);
  const folder = join(scene.root, "coder");
  expect(() => toolGit(folder, "config", "--get", "core.fsmonitor")).toThrow();
  expect(toolGit(folder, "config", "--get-all", "submodule.active")).toBe(`:(top,literal)${at}`);
  expect(toolGit(folder, "status", "--porcelain")).toBe("");
});

test.each(rowsOfDay(["a link to the outside", "a file", "a pipe of git"]))(
  "%s in the place of a submodule that is not here is replaced by an empty folder",
  async (what) => {
    using scene = await hostileScene();
    const commit = scene.commitWith(named("part"));
    await scene.repository.pin(instance, newGoalId(), commit);
    const agent = scene.agent("coder");
    await agent.prepare(commit);
    const [place, outside] = [join(agent.folder, "part"), join(scene.root, "outside")];
    mkdirSync(outside);
    writeFileSync(join(outside, "kept"), "x");
    rmSync(place, { recursive: true });
    if (what === "a file") writeFileSync(place, "x");
    else if (what === "a pipe of git") {
      toolGit(agent.folder, "init", "-q", place);
      rmSync(join(place, ".git/HEAD"));
      expect(Bun.spawnSync(["mkfifo", join(place, ".git/HEAD")]).exitCode).toBe(0);
    } else symlinkSync(outside, place);
    await agent.prepare(commit);
    expect(lstatSync(place).isDirectory()).toBe(true);
    expect(readdirSync(place)).toEqual([]);
    expect(readdirSync(outside)).toEqual(["kept"]);
    expect(toolGit(agent.folder, "status", "--porcelain")).toBe("");
  },
);
