// Shows what is not committed, where committing or stashing would not help: each sentence names a
// way that does.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { dirtyHint } from "../../../lib/client/render/dirty-files.ts";
import { pathOfBytes } from "../../../lib/folders/folder-entries.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { readName } from "../../../lib/git/run/file-name.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
  write,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

const dirtyIn = async (path: string) =>
  await (await HostRepository.open(path, { env: hostEnv })).dirtyFiles();

/** Types the commands that a hint has in backticks, as a person would. */
function type(folder: string, hint: string): void {
  const editor = { GIT_EDITOR: "sh -c 'echo Say > \"$1\"' sh" };
  for (const [, command = ""] of hint.matchAll(/`([^`]+)`/g)) {
    execFileSync("sh", ["-c", command], {
      cwd: folder,
      env: { ...hostEnv, ...editor },
      stdio: "pipe",
    });
  }
}

const unix = "one\ntwo\n";
const windows = "one\r\ntwo\r\n";

test("files with Windows' line ends in the folder alone are named as such, and the hint makes the folder clean", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { "a.txt": unix, "b c.txt": unix });
  write(host.path, { "a.txt": windows, "b c.txt": windows });
  const dirty = await dirtyIn(host.path);
  expect(dirty.map(({ state, path, kind }) => [state, path, kind])).toEqual([
    [" M", "a.txt", "line-ends"],
    [" M", "b c.txt", "line-ends"],
  ]);
  expect(dirtyHint(dirty)).toStartWith("Only their line ends differ");
  expect(dirtyHint(dirty)).not.toContain("git stash -u");
  type(host.path, dirtyHint(dirty));
  expect(await dirtyIn(host.path)).toEqual([]);
});

test("files whose commit has line ends that an attribute does not want stay dirty after a stash, and the hint commits them", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { "a.txt": windows });
  write(host.path, { ".gitattributes": "*.txt text\n" });
  git(host.path, "add", ".gitattributes");
  git(host.path, "commit", "-q", "-m", "Attributes alone");
  utimesSync(join(host.path, "a.txt"), 1, 1);
  git(host.path, "stash", "-q", "-u");
  utimesSync(join(host.path, "a.txt"), 2, 2);
  const dirty = await dirtyIn(host.path);
  expect(dirty).toEqual([{ state: " M", path: "a.txt", kind: "committed-line-ends" }]);
  type(host.path, dirtyHint(dirty));
  expect(await dirtyIn(host.path)).toEqual([]);
});

test("a file that git calls changed by its size alone is one of line ends", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { "a.txt": unix, ".gitattributes": "*.txt text\n" });
  write(host.path, { "a.txt": windows });
  const dirty = await dirtyIn(host.path);
  expect(dirty).toEqual([{ state: " M", path: "a.txt", kind: "line-ends" }]);
  type(host.path, dirtyHint(dirty));
  expect(await dirtyIn(host.path)).toEqual([]);
});

test.each(
  rowsOfDay([
    ["another line", { "a.txt": "one\r\nthree\r\n" }, false],
    ["another mode", { "a.txt": windows }, true],
  ]),
)("line ends are not blamed where the file has %s, too", async (_, files, isExecutable) => {
  using host = sampleRepository();
  commitFiles(host.path, { "a.txt": unix });
  write(host.path, files);
  if (isExecutable) chmodSync(join(host.path, "a.txt"), 0o755);
  const dirty = await dirtyIn(host.path);
  expect(dirty).toEqual([{ state: " M", path: "a.txt" }]);
  expect(dirtyHint(dirty)).toContain("git stash -u");
});

test.each(rowsOfDay(["a file in it has changed", "it has another commit"]))(
  "a submodule is named where %s, with the commands for it and not a stash",
  async (what) => {
    using other = sampleRepository();
    using host = sampleRepository();
    git(
      host.path,
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      other.path,
      "lib dir",
    );
    git(host.path, "commit", "-q", "-m", "With a submodule");
    if (what === "it has another commit")
      commitFiles(join(host.path, "lib dir"), { "new.txt": "x" });
    else write(join(host.path, "lib dir"), { "README.md": "Changed.\n" });
    const dirty = await dirtyIn(host.path);
    expect(dirty).toEqual([{ state: " M", path: "lib dir", kind: "submodule" }]);
    expect(dirtyHint(dirty)).toContain("git submodule update 'lib dir'");
    expect(dirtyHint(dirty)).not.toContain("git stash -u");
  },
);

test("a repository of its own that is no submodule is named: git add would make a link of it", async () => {
  using host = sampleRepository();
  mkdirSync(join(host.path, "inner"));
  git(join(host.path, "inner"), "init", "-q");
  write(host.path, { "inner/a.txt": unix });
  const dirty = await dirtyIn(host.path);
  expect(dirty).toEqual([{ state: "??", path: "inner/", kind: "repository" }]);
  expect(dirtyHint(dirty)).not.toContain("git add -A");
  type(host.path, dirtyHint(dirty));
  git(host.path, "add", ".gitignore");
  git(host.path, "commit", "-q", "-m", "Ignore it");
  expect(await dirtyIn(host.path)).toEqual([]);
});

test("a merge that is not finished is named: git add would commit its marks", async () => {
  using host = sampleRepository();
  git(host.path, "checkout", "-q", "-b", "other");
  commitFiles(host.path, { "README.md": "Theirs.\n" });
  git(host.path, "checkout", "-q", "main");
  commitFiles(host.path, { "README.md": "Ours.\n" });
  expect(() => git(host.path, "merge", "-q", "other")).toThrow();
  const dirty = await dirtyIn(host.path);
  expect(dirty).toEqual([{ state: "UU", path: "README.md", kind: "merge" }]);
  expect(dirtyHint(dirty)).toContain("Finish the merge");
  expect(dirtyHint(dirty)).not.toContain("git add -A");
});

test("beside other changes the number of files with other line ends is said", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { "a.txt": unix });
  write(host.path, { "a.txt": windows, "README.md": "Changed.\n" });
  const hint = dirtyHint(await dirtyIn(host.path));
  expect(hint).toContain("In 1 of them only the line ends differ");
  expect(hint).toContain("git add -A && git commit");
});

test("files whose names are no UTF-8 are named apart, each with what is true of it", async () => {
  using host = sampleRepository();
  const names = ["caf\xe8", "caf\xe9", "caf\xea/"];
  for (const name of names.slice(0, 2)) writeFileSync(pathOfBytes(host.path, name), unix);
  commitFiles(host.path, {}, "Add names");
  writeFileSync(pathOfBytes(host.path, "caf\xe8"), windows);
  writeFileSync(pathOfBytes(host.path, "caf\xe9"), `${unix}three\n`);
  mkdirSync(pathOfBytes(host.path, "caf\xea"));
  git(host.path, "init", "--quiet", "inner");
  renameSync(join(host.path, "inner/.git"), pathOfBytes(host.path, "caf\xea/.git"));
  rmdirSync(join(host.path, "inner"));
  const dirty = await dirtyIn(host.path);
  expect(dirty.map(({ path, kind }) => [readName(path), kind])).toEqual([
    ["caf\xe8", "line-ends"],
    ["caf\xe9", undefined],
    ["caf\xea/", "repository"],
  ]);
});

test("the file into which the output of a command goes is no change, and any other new file is", async () => {
  using host = sampleRepository();
  const open = join(import.meta.dir, "../../../lib/git/repository/host-repository.ts");
  const script = `
    import { HostRepository } from ${JSON.stringify(open)};
    const dirty = await (await HostRepository.open(".", { env: process.env })).dirtyFiles();
    process.stderr.write(JSON.stringify(dirty.map(({ path }) => path)));`;
  const run = (redirected: string) => {
    const bun = `'${process.execPath}' -e '${script}' ${redirected}`;
    execFileSync("sh", ["-c", bun], { cwd: host.path, env: hostEnv, stdio: "pipe" });
  };
  run("> log.txt 2> ../said");
  expect(readFileSync(join(host.path, "../said"), "utf8")).toBe("[]");
  write(host.path, { "other.txt": "" });
  run(">> 'lög.txt' 2> ../said");
  expect(JSON.parse(readFileSync(join(host.path, "../said"), "utf8"))).toEqual([
    ...["log.txt", "other.txt"],
  ]);
});
