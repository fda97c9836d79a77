// Keeps what attests a commit as a note of git, in repositories of real git.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { hostEnv as env, git, instance } from "../../support/git/sample-repository.ts";

const ref = `refs/notes/sett/${instance}`;

test("what attests a commit is a note of it, once, that a clone fetches with the notes", async () => {
  const place = mkdtempSync(join(tmpdir(), "sett-notes-"));
  const [from, to] = [join(place, "from"), join(place, "to")];
  git(place, "init", "--quiet", "--initial-branch=main", from);
  git(from, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  const commit = CommitHash.parse(git(from, "rev-parse", "HEAD"));
  const repository = await HostRepository.open(from, { env });
  const keep = async (text: string) => await repository.keepNote({ instance, commit, text });
  await keep('{"one":"ä"}\n');
  const first = git(from, "rev-parse", ref);
  await keep('{"one":"ä"}\n');
  expect(git(from, "rev-parse", ref)).toBe(first);
  await keep('{"two":2}\n');
  expect(git(from, "log", "--format=%an", ref)).toBe("Sett\nSett");
  expect(git(from, "status", "--porcelain")).toBe("");
  expect(git(from, "rev-parse", "HEAD")).toBe(commit);

  git(place, "clone", "--quiet", from, to);
  git(to, "fetch", "--quiet", "origin", "refs/notes/sett/*:refs/notes/sett/*");
  expect(git(to, "notes", `--ref=sett/${instance}`, "show", commit)).toBe('{"two":2}');
  rmSync(place, { recursive: true });
});

test("commits are read byte for byte, and those that are not there are left out", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sett-commits-"));
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "Größe\n\n\nmore");
  const [commit, before] = ["HEAD", "HEAD^"].map((name) =>
    CommitHash.parse(git(folder, "rev-parse", name)),
  );
  if (commit === undefined || before === undefined) throw new Error("no commits");
  const repository = await HostRepository.open(folder, { env });
  const gone = CommitHash.parse("d".repeat(40));
  const read = await repository.readCommits([commit, gone, before]);
  expect([...read.keys()]).toEqual([commit, before]);
  expect(read.get(commit)?.toString().trimEnd()).toBe(git(folder, "cat-file", "commit", commit));
  expect(await repository.readCommits([])).toEqual(new Map());
  rmSync(folder, { recursive: true });
});
