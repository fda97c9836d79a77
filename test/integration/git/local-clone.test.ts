// A clone of the person's repository for a while, on the same disk.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { hostEnv as env, git } from "../../support/git/sample-repository.ts";

test("a clone has the commit, every branch and tag, the person's name, and none of Sett's names", async () => {
  const place = mkdtempSync(join(tmpdir(), "sett-clone-"));
  const [from, to] = [join(place, "from"), join(place, "to")];
  git(place, "init", "--quiet", "--initial-branch=main", from);
  git(from, "config", "user.name", "Ada Lovelace");
  git(from, "config", "user.email", "ada@sett.invalid");
  writeFileSync(join(from, "file"), "one");
  git(from, "add", "file");
  git(from, "commit", "--quiet", "--message", "One");
  const one = CommitHash.parse(git(from, "rev-parse", "HEAD"));
  git(from, "tag", "first");
  git(from, "update-ref", "refs/sett/demo/goal", one);
  writeFileSync(join(from, "file"), "two");
  git(from, "commit", "--quiet", "--all", "--message", "Two");
  mkdirSync(join(from, ".git/lfs/objects"), { recursive: true });
  const repository = await HostRepository.open(from, { env });
  await repository.cloneTo(to, one);
  const clone = await HostRepository.open(to, { env });
  expect([await clone.head(), clone.place.person]).toEqual([
    one,
    { name: "Ada Lovelace", email: "ada@sett.invalid" },
  ]);
  expect([git(to, "show", "first:file"), git(to, "show", "origin/main:file")]).toEqual([
    "one",
    "two",
  ]);
  expect([readdirSync(to).sort(), existsSync(join(to, ".git/refs/sett"))]).toEqual([
    [".git", "file"],
    false,
  ]);
  expect(git(to, "config", "lfs.storage")).toBe(join(from, ".git/lfs"));
  // What is made in the clone does not come into the person's repository.
  git(to, "commit", "--quiet", "--allow-empty", "--message", "Three");
  const three = CommitHash.parse(git(to, "rev-parse", "HEAD"));
  expect(await repository.hasCommit(three)).toBe(false);
  rmSync(place, { recursive: true });
});

test.skipIf(process.getuid?.() !== 0)("root clones what belongs to another user", async () => {
  const place = mkdtempSync(join(tmpdir(), "sett-clone-"));
  const [from, to] = [join(place, "from"), join(place, "to")];
  git(place, "init", "--quiet", "--initial-branch=main", from);
  git(from, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  execFileSync("chown", ["-R", "12345:12345", from]);
  const repository = await HostRepository.open(from, { env });
  await repository.cloneTo(to, await repository.head());
  expect(await (await HostRepository.open(to, { env })).head()).toBe(await repository.head());
  rmSync(place, { recursive: true });
});
