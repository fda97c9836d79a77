// Shows what `sett unearth` and the page show of a commit, in a real repository of the host.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainLines } from "../../../lib/client/text/plain-text.ts";
import { pathOfBytes } from "../../../lib/folders/folder-entries.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { readName } from "../../../lib/git/run/file-name.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
  workWith,
} from "../../support/git/sample-repository.ts";

const open = (path: string) => HostRepository.open(path, { env: hostEnv });

test("a commit is shown with its statistics, an unknown one is a failure that says so", async () => {
  using host = sampleRepository();
  git(host.path, "config", "color.ui", "always");
  const commit = commitFiles(host.path, { "é.txt": "x\n" }, "Add a text");
  const repository = await open(host.path);
  expect(await repository.showChanges(workWith(commit))).toContain(
    "    Add a text\n\n é.txt | 1 +\n 1 file changed, 1 insertion(+)",
  );
  const unknown = CommitHash.parse("0123456789".repeat(4));
  await expect(repository.showChanges(workWith(unknown))).rejects.toThrow(
    `does not have commit ${unknown}`,
  );
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
  const repository = await HostRepository.open(host.path, {
    env: hostEnv,
    showMemoryBytes: 192 * 1024 ** 2,
  });
  for (const goal of [host.base, undefined]) {
    const reason = `The changes of commit ${commit} cannot be shown: git diff failed: it needed more than 192 MiB of memory.`;
    await expect(repository.showChanges(workWith(commit, goal))).rejects.toThrow(reason);
  }
}, 120_000);

test("a result is shown with all that was done since the commit of the goal, then with what was done since earlier ones", async () => {
  using host = sampleRepository();
  git(host.path, "config", "diff.noprefix", "true");
  const first = commitFiles(host.path, { "install.sh": "curl\n", "NOTES.md": "1\n" }, "First");
  const second = commitFiles(host.path, { "NOTES.md": "2\n" }, "Second");
  const repository = await open(host.path);
  const [version, verdict] = [
    { name: "version 1", commit: first },
    { name: "your last verdict, on version 2", commit: second },
  ];
  const all = await repository.showChanges(
    workWith(second, host.base, { earlier: [version, verdict] }),
  );
  expect(all).toStartWith(
    `2 commits since ${host.base.slice(0, 12)}, the commit of the goal\n\ncommit ${second}\n`,
  );
  expect(all).toContain("    First\n");
  expect(all).toContain(
    " NOTES.md   | 1 +\n install.sh | 1 +\n 2 files changed, 2 insertions(+)\n",
  );
  const since = `Only the changes since version 1 (commit ${first.slice(0, 12)}):\n\n NOTES.md | 2 +-\n`;
  expect(all).toContain(since);
  expect(all).toEndWith(
    `Nothing was changed since your last verdict, on version 2 (commit ${second.slice(0, 12)}).\n`,
  );
  const lines = await repository.showChanges(workWith(second, host.base), "lines");
  expect(lines).toContain("+curl\n");
  const only = await repository.showChanges(workWith(second, host.base), "lines", version);
  expect(only).toStartWith(
    `Only the changes since version 1 (commit ${first.slice(0, 12)}):\n\ndiff --git a/NOTES.md b/NOTES.md\n`,
  );
  expect(only).not.toContain("curl");
  expect(await repository.showChanges(workWith(second, second))).toStartWith(
    "Nothing was changed since",
  );
});

test("work that is not based on the commit of the goal is shown from where a merge begins, and says so", async () => {
  using host = sampleRepository();
  const goal = commitFiles(host.path, { one: "1\n" }, "Goal");
  git(host.path, "checkout", "-q", "-b", "older", host.base);
  const older = commitFiles(host.path, { two: "2\n" }, "Aside");
  git(host.path, "checkout", "-q", "--orphan", "apart");
  const apart = commitFiles(host.path, { three: "3\n" }, "Apart");
  const repository = await open(host.path);
  const aside = await repository.showChanges(workWith(older, goal));
  expect(aside).toStartWith(
    `1 commit since ${host.base.slice(0, 12)}\n! It is not based on ${goal.slice(0, 12)}, the commit of the goal, but on an older one.\n`,
  );
  expect(aside).toEndWith(" two | 1 +\n 1 file changed, 1 insertion(+)\n create mode 100644 two\n");
  const alone = await repository.showChanges(workWith(apart, goal));
  expect(alone).toStartWith(
    `1 commit of a history that begins anew\n! It has no commit in common with ${goal.slice(0, 12)}, the commit of the goal: all of its files are shown as new, and \`git merge\` refuses it.\n`,
  );
  expect(() => git(host.path, "merge", older)).toThrow("refusing to merge unrelated histories");
  expect(alone).toContain(" README.md  | 1 +\n");
  const unknown = CommitHash.parse("0123456789".repeat(4));
  const lost = await repository.showChanges(
    workWith(older, unknown, { earlier: [{ name: "version 1", commit: unknown }] }),
  );
  expect(lost).toContain(
    "! The repository does not have 012345678901, the commit of the goal. What the commits before it",
  );
  expect(lost).toContain("The changes since version 1 (commit 012345678901) are not known");
});

test("work that has left out one of the histories that the commit of the goal merges is shown beside that commit", async () => {
  using host = sampleRepository();
  const one = commitFiles(host.path, { one: "1\n" }, "One");
  git(host.path, "checkout", "-q", "-b", "rules", host.base);
  const rules = commitFiles(host.path, { "rules.txt": "No\n" }, "Rules");
  git(host.path, "checkout", "-q", "main");
  git(host.path, "merge", "-q", "--no-ff", "-m", "Both", rules);
  const goal = CommitHash.parse(git(host.path, "rev-parse", "HEAD"));
  const repository = await open(host.path);
  for (const [kept, left, gone] of [
    [one, rules, "rules.txt"],
    [rules, one, "one"],
  ] as const) {
    git(host.path, "checkout", "-q", "--detach", kept);
    git(host.path, "merge", "-q", "-s", "ours", "-m", "Again", left);
    const work = CommitHash.parse(git(host.path, "rev-parse", "HEAD"));
    git(host.path, "checkout", "-q", "main");
    const shown = await repository.showChanges(workWith(work, goal));
    expect(shown).toStartWith(
      `1 commit that ${goal.slice(0, 12)} does not have\n! It is not based on ${goal.slice(0, 12)}, the commit of the goal, but on 2 older ones: every difference to that commit is shown`,
    );
    expect(shown).toEndWith(
      ` ${gone} | 1 -\n 1 file changed, 1 deletion(-)\n delete mode 100644 ${gone}\n`,
    );
    expect(await repository.startOfMerge(work)).toBe(goal);
    git(host.path, "merge", "-q", "-m", "It", work);
    expect(git(host.path, "diff", "--name-only", goal)).toBe(gone);
    git(host.path, "reset", "-q", "--hard", goal);
  }
});

test("a commit whose message passes for that of a merge is named, and no other", async () => {
  using host = sampleRepository();
  const shown = async (message: string) => {
    const commit = commitFiles(host.path, { "file.txt": `${message}\n` }, message);
    return await (await open(host.path)).showChanges(workWith(commit, host.base), "sums");
  };
  const honest = "Mend it\n\nThe field Approved-by: is shown.\n\nCo-authored-by: A <a@b.invalid>";
  expect(await shown(honest)).not.toContain("pass for");
  expect(await shown("Mend it\n\nApproved-by: Ada <ada@sett.invalid>")).toContain(
    "! The message of 1 commit may pass for that of a merge",
  );
  expect(await shown("Mend it again\n\nsett-artefact: 1\n\nMore of it")).toContain(
    "! The messages of 2 commits may pass for that of a merge",
  );
  const landing = CommitHash.parse(git(host.path, "rev-parse", "HEAD"));
  const known = { landings: [landing] };
  const left = workWith(landing, host.base, known);
  expect(await (await open(host.path)).showChanges(left, "sums")).toContain(
    "! The message of 1 commit may pass for that of a merge",
  );
});

test("the lines that a result changes are complete, whatever the user's settings leave out", async () => {
  using host = sampleRepository();
  for (const setting of ["diff.noprefix=true", "diff.ignoreSubmodules=all"])
    git(host.path, "config", ...setting.split("="));
  mkdirSync(join(host.path, "sub"));
  git(host.path, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
  const changed = commitFiles(host.path, { one: "1\n" }, "Change");
  git(host.path, "checkout", "-q", "-b", "side", host.base);
  commitFiles(host.path, { aside: "2\n" }, "Aside");
  git(host.path, "merge", "-q", "--no-edit", changed);
  const repository = await open(host.path);
  const heads = ["diff --git a/one b/one\n", "diff --git a/sub b/sub\nnew file mode 160000\n"];
  const ofWork = await repository.showChanges(workWith(changed, host.base), "lines");
  const ofMerge = await repository.showChanges(workWith(await repository.head()), "lines");
  for (const head of heads)
    expect([ofWork, ofMerge]).toEqual([
      expect.stringContaining(head),
      expect.stringContaining(head),
    ]);
});

test("the size of a binary file, before and after, follows what git says of it", async () => {
  using host = sampleRepository();
  commitFiles(
    host.path,
    { "old.bin": "\0".repeat(2_000), "gone.bin": "\0x", "same.txt": "text\n" },
    "Before",
  );
  const before = CommitHash.parse(git(host.path, "rev-parse", "HEAD").trim());
  git(host.path, "rm", "-q", "gone.bin");
  const after = commitFiles(
    host.path,
    { "old.bin": "\0".repeat(3_000), "new\u2028 differ.bin": "\0", "same.txt": "more\n" },
    "After",
  );
  const repository = await open(host.path);
  for (const goal of [before, undefined]) {
    const shown = await repository.showChanges(workWith(after, goal), "lines");
    expect(
      shown.match(/^Binary files [^\n]*\n[^\n]*$/gm)?.map((line) => line.replace("\n", ": ")),
    ).toEqual([
      "Binary files a/gone.bin and /dev/null differ: Bin 2 -> 0 bytes",
      'Binary files /dev/null and "b/new\\342\\200\\250 differ.bin" differ: Bin 0 -> 1 bytes',
      "Binary files a/old.bin and b/old.bin differ: Bin 2000 -> 3000 bytes",
    ]);
    expect(shown.match(/^Bin /gm)).toHaveLength(3);
  }
});

test("names that are no UTF-8 are shown apart, and can be read back", async () => {
  using host = sampleRepository();
  const names = ["caf\xe8", "caf\xe9", 'a"\n\xff'];
  for (const name of names) writeFileSync(pathOfBytes(host.path, name), "x\n");
  const commit = commitFiles(host.path, {}, "Add names");
  const repository = await open(host.path);
  const files = await repository.showChanges(workWith(commit, host.base));
  const listed = [...files.matchAll(/^ (\S+) +\| 1 \+$/gm)].map(([, shown = ""]) =>
    readName(shown),
  );
  expect(listed.sort()).toEqual(names.toSorted());
  const lines = await repository.showChanges(workWith(commit, host.base), "lines");
  const heads = [...lines.matchAll(/^\+\+\+ (.*)$/gm)].map(([, shown = ""]) =>
    readName(shown).slice("b/".length),
  );
  expect(heads.sort()).toEqual(names.toSorted());
});

test("no two names look the same in a terminal, also where one has signs that cannot be seen, or is long", async () => {
  using host = sampleRepository();
  const long = "a-long-name-of-a-folder/".repeat(8);
  const names = [
    "ab",
    "a\u200bb",
    "a\u200cb",
    "a\u202eb",
    "a\u00a0b",
    "e\u0301",
    "é",
    `1/${long}x`,
    `2/${long}x`,
    "a | 9 +",
  ];
  const commit = commitFiles(
    host.path,
    Object.fromEntries(names.map((name) => [name, "x\n"])),
    "Add names",
  );
  const repository = await open(host.path);
  const files = plainLines(await repository.showChanges(workWith(commit, host.base)));
  const listed = [...files.matchAll(/^ (.*\S) +\| 1 \+$/gm)].map(([, shown = ""]) => shown);
  const bytes = listed.map((shown) => Buffer.from(readName(shown), "latin1").toString());
  expect(bytes.sort()).toEqual(names.toSorted());
});

test("attributes of files whose names are no UTF-8 are named, each file apart", async () => {
  using host = sampleRepository();
  for (const name of ["caf\xe8", "caf\xe9"]) writeFileSync(pathOfBytes(host.path, name), "x\n");
  const commit = commitFiles(host.path, { ".gitattributes": "caf* ident -diff\n" }, "Add names");
  const repository = await open(host.path);
  const note = '! A checkout of "caf\\350", "caf\\351" has other bytes than are shown here';
  const shown = await repository.showChanges(workWith(commit, host.base));
  expect(shown).toContain(note);
  expect(shown).toContain('lets your own git hide changes of "caf\\350", "caf\\351".');
});
