// The files of a working copy are those of a clone on Linux: their bytes, modes, links and names.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readLayer, writeLayer } from "../../../lib/git/copy/layer.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { copyIn } from "../../support/git/folders.ts";
import {
  commitFiles,
  git,
  instance,
  newGoalId,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

const attributes = [
  "*.unix text eol=lf",
  "*.dos text eol=crlf",
  "*.auto text=auto",
  "*.bin -text",
  "*.utf16 text working-tree-encoding=UTF-16LE eol=crlf",
  "*.id ident",
].join("\n");

/** What a file is: its mode and its content; its target, if it is a link. */
function filesIn(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below)).filter((each) => each !== ".git")) {
    const path = join(below, name);
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) Object.assign(found, filesIn(folder, path));
    else if (stats.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
    else
      found[path] = `${(stats.mode & 0o777).toString(8)} ${JSON.stringify(
        readFileSync(join(folder, path), "latin1"),
      )}`;
  }
  return found;
}

/** A goal's commit that has all of these, and what a clone without settings shows of it. */
async function sceneOfAllKinds() {
  const scene = await exchangeScene();
  const { path } = scene;
  const lines = "one\ntwo\n";
  write(path, {
    ".gitattributes": `${attributes}\n`,
    ...{ "a.unix": lines, "a.dos": lines, "a.auto": lines, "plain.txt": lines },
    ...{ "a.bin": "one\r\ntwo\n", "crlf.txt": "one\r\ntwo\r\n", "a.id": "$Id$\n" },
    "deep/.gitattributes": "*.unix text eol=crlf\n",
    "deep/b.unix": lines,
    "run.sh": "#!/bin/sh\n",
    ...{ "Case.txt": "upper\n", "case.txt": "lower\n", "Dir/file": "Dir\n", "dir/file": "dir\n" },
  });
  writeFileSync(join(path, "a.utf16"), "one\r\ntwo\r\n", "utf16le");
  chmodSync(join(path, "run.sh"), 0o755);
  const links = { inside: "deep/b.unix", dangling: "nowhere", outside: "/nowhere/at/all" };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(path, name));
  const all = commitFiles(path, {}, "All kinds");
  const clone = join(scene.root, "clone");
  git(scene.root, "clone", "-q", path, clone);
  return { ...scene, all, clone, [Symbol.dispose]: scene[Symbol.dispose] };
}

test("line ends, encodings, modes, links and names by case are those of a clone, also the second time", async () => {
  using scene = await sceneOfAllKinds();
  await scene.repository.pin(instance, newGoalId(), scene.all);
  const expected = filesIn(scene.clone);
  expect(expected["a.dos"]).toBe('644 "one\\r\\ntwo\\r\\n"');
  expect(expected["run.sh"]).toStartWith("755 ");
  expect(expected.outside).toBe("-> /nowhere/at/all");
  const agent = scene.agent("coder");
  await agent.prepare(scene.all);
  expect(filesIn(agent.folder)).toEqual(expected);
  expect(toolGit(agent.folder, "status", "--porcelain")).toBe("");
  // A command leaves other line ends, modes and links, of which git would see some alone.
  write(agent.folder, { "a.dos": "one\ntwo\n", "a.auto": "one\r\ntwo\r\n", "a.unix": "x\r\n" });
  chmodSync(join(agent.folder, "run.sh"), 0o644);
  execFileSync("ln", ["-sfn", "case.txt", join(agent.folder, "inside")]);
  execFileSync("mv", ["-f", join(agent.folder, "case.txt"), join(agent.folder, "Case.txt")]);
  await agent.prepare(scene.all);
  expect(filesIn(agent.folder)).toEqual(expected);
  await agent.prepare(scene.base);
  await agent.prepare(scene.all);
  expect(filesIn(agent.folder)).toEqual(expected);
});

test("a layer has them as well", async () => {
  using scene = await sceneOfAllKinds();
  const folder = join(scene.root, "layer");
  mkdirSync(folder);
  const options = {
    ...{ objectsDir: join(scene.path, ".git/objects"), exchangeDir: "/nonexistent" },
    workspaceDir: join(folder, treeFolder),
  };
  const maker = copyIn(options);
  await maker.prepare(scene.all);
  await writeLayer(folder, await maker.leaveLayer());
  const copy = copyIn({ ...options, layer: await readLayer(folder) });
  await copy.prepare(scene.all);
  expect(filesIn(options.workspaceDir)).toEqual(filesIn(scene.clone));
  expect(toolGit(options.workspaceDir, "status", "--porcelain")).toBe("");
});

// They say how one person's machine shows a commit. An agent's machine is always Linux.
test.each(
  rowsOfDay([
    ["core.autocrlf", "true"],
    ["core.autocrlf", "input"],
    ["core.eol", "crlf"],
    ["core.fileMode", "false"],
    ["core.symlinks", "false"],
    ["core.ignoreCase", "true"],
  ]),
)("a person's %s=%s changes nothing of it, and a result merges", async (name, value) => {
  using scene = await sceneOfAllKinds();
  git(scene.path, "config", name, value);
  expect(await scene.repository.dirtyFiles()).toEqual([]);
  await scene.repository.pin(instance, newGoalId(), scene.all);
  const agent = scene.agent("coder");
  await agent.prepare(scene.all);
  expect(filesIn(agent.folder)).toEqual(filesIn(scene.clone));
  const { commit } = await agent.publish({
    "a.dos": "one\r\nthree\r\n",
    "plain.txt": "one\n3\n",
  });
  await scene.fetch();
  git(scene.path, "merge", "-q", commit);
  const changed = git(scene.path, "diff", "--numstat", scene.all, "HEAD");
  expect(changed).toBe("1\t1\ta.dos\n1\t1\tplain.txt");
  expect(await scene.repository.dirtyFiles()).toEqual([]);
});
