// What `sett unearth` and the page show of a commit, in a real repository of the host.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { commitFiles, git, hostEnv, sampleRepository } from "../../support/git/sample-repository.ts";

const open = (path: string) => HostRepository.open(path, { env: hostEnv });

test("a commit is shown with its statistics, an unknown one is a failure that says so", async () => {
  using host = sampleRepository();
  git(host.path, "config", "color.ui", "always");
  const commit = commitFiles(host.path, { "é.txt": "x\n" }, "Add a text");
  const repository = await open(host.path);
  expect(await repository.showChanges(commit)).toContain("    Add a text\n\n é.txt | 1 +\n 1 file changed, 1 insertion(+)");
  const unknown = CommitHash.parse("0123456789".repeat(4));
  await expect(repository.showChanges(unknown)).rejects.toThrow(`does not have commit ${unknown}`);
});

test("changes that take more memory than there is for them are a failure that says so", async () => {
  using host = sampleRepository();
  const make = (args: string[], input: string) =>
    execFileSync("git", args, { cwd: host.path, env: hostEnv, input, encoding: "utf8" }).trim();
  // A thousand million files, in a few hundred bytes.
  let object = make(["hash-object", "-w", "--stdin"], "x");
  for (let level = 0; level < 9; level++) {
    const kind = level === 0 ? "100644 blob" : "040000 tree";
    const names = Array.from({ length: 10 }, (_, index) => `${kind} ${object}\tf${index}\n`);
    object = make(["mktree"], names.join(""));
  }
  const commit = CommitHash.parse(make(["commit-tree", object, "-p", "HEAD", "-m", "Grow"], ""));
  const repository = await HostRepository.open(host.path, { env: hostEnv, showMemoryBytes: 192 * 1024 ** 2 });
  for (const [starts, call] of [
    [[host.base], "diff"],
    [[], "show"],
  ] as const) {
    const reason = `The changes of commit ${commit} cannot be shown: git ${call} failed: it needed more than 192 MiB of memory.`;
    await expect(repository.showChanges(commit, starts)).rejects.toThrow(reason);
  }
}, 30_000);

test("a result is shown with all that was done since the nearest of the commits that the work began at", async () => {
  using host = sampleRepository();
  git(host.path, "config", "diff.noprefix", "true");
  const first = commitFiles(host.path, { one: "1\n" }, "First");
  const second = commitFiles(host.path, { two: "2\n" }, "Second");
  git(host.path, "checkout", "-q", "-b", "side", host.base);
  const side = commitFiles(host.path, { three: "3\n" }, "Aside");
  const repository = await open(host.path);
  const unknown = CommitHash.parse("0123456789".repeat(4));
  const all = await repository.showChanges(second, [unknown, side, host.base, first]);
  expect(all).toStartWith(`2 commits since ${host.base.slice(0, 12)}\n\ncommit ${second}\n`);
  expect(all).toContain("    First\n");
  expect(all).toEndWith(" one | 1 +\n two | 1 +\n 2 files changed, 2 insertions(+)\n");
  expect(await repository.showChanges(second, [first, host.base])).toEndWith(" two | 1 +\n 1 file changed, 1 insertion(+)\n");
  expect(await repository.showChanges(second, [second])).toBe(`Nothing was changed since ${second.slice(0, 12)}.\n`);
});

test("the lines that a result changes are complete, whatever the user's settings leave out", async () => {
  using host = sampleRepository();
  for (const setting of ["diff.noprefix=true", "diff.ignoreSubmodules=all"]) git(host.path, "config", ...setting.split("="));
  mkdirSync(join(host.path, "sub"));
  git(host.path, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
  const changed = commitFiles(host.path, { one: "1\n" }, "Change");
  git(host.path, "checkout", "-q", "-b", "side", host.base);
  commitFiles(host.path, { aside: "2\n" }, "Aside");
  git(host.path, "merge", "-q", "--no-edit", changed);
  const repository = await open(host.path);
  const heads = ["diff --git a/one b/one\n", "diff --git a/sub b/sub\nnew file mode 160000\n"];
  const ofWork = await repository.showChanges(changed, [host.base], "lines");
  const ofMerge = await repository.showChanges(await repository.head(), [], "lines");
  for (const head of heads) expect([ofWork, ofMerge]).toEqual([expect.stringContaining(head), expect.stringContaining(head)]);
});

test("the size of a binary file, before and after, follows what git says of it", async () => {
  using host = sampleRepository();
  commitFiles(host.path, { "old.bin": "\0".repeat(2_000), "gone.bin": "\0x", "same.txt": "text\n" }, "Before");
  const before = CommitHash.parse(git(host.path, "rev-parse", "HEAD").trim());
  git(host.path, "rm", "-q", "gone.bin");
  const after = commitFiles(
    host.path,
    { "old.bin": "\0".repeat(3_000), "new\u2028 differ.bin": "\0", "same.txt": "more\n" },
    "After",
  );
  const repository = await open(host.path);
  for (const starts of [[before], []]) {
    const shown = await repository.showChanges(after, starts, "lines");
    expect(shown.match(/^Binary files [^\n]*\n[^\n]*$/gm)?.map((line) => line.replace("\n", ": "))).toEqual([
      "Binary files a/gone.bin and /dev/null differ: Bin 2 -> 0 bytes",
      "Binary files /dev/null and b/new\u2028 differ.bin differ: Bin 0 -> 1 bytes",
      "Binary files a/old.bin and b/old.bin differ: Bin 2000 -> 3000 bytes",
    ]);
    expect(shown.match(/^Bin /gm)).toHaveLength(3);
  }
});
