// Taking back merges on a tip that no branch has, in a real repository.
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
  write,
} from "../../support/git/sample-repository.ts";

setDefaultTimeout(600_000);

/** A tip onto which three results were merged: two as merges, one as a squash. */
function scene() {
  const host = sampleRepository();
  const { path, base } = host;
  const run = (...args: string[]) => git(path, ...args);
  const merged = (onto: string, files: Record<string, string>) => {
    run("checkout", "-q", "--detach", base);
    const result = commitFiles(path, files, "Result");
    run("checkout", "-q", "--detach", onto);
    run("merge", "-q", "--no-ff", "--no-edit", result);
    return CommitHash.parse(run("rev-parse", "HEAD"));
  };
  const walls = merged(base, { "walls.txt": "white\n" });
  const roof = merged(walls, { "roof.txt": "red\n" });
  run("checkout", "-q", "--detach", roof);
  const paint = commitFiles(path, { "walls.txt": "blue\n" }, "Squashed");
  run("switch", "-q", "main");
  const revert = async (
    commits: CommitHash[],
    tip = paint,
    signal = new AbortController().signal,
    start?: CommitHash,
  ) => {
    const repository = await HostRepository.open(path, { env: hostEnv });
    const message = "Revert it\n\nWhy.\n";
    return await repository.revert({
      ...{ tip, commits, start, message, signal, onSlow: () => {} },
    });
  };
  const all = () => run("status", "--porcelain") + run("for-each-ref") + run("rev-parse", "HEAD");
  return { ...host, run, revert, all, walls, roof, paint };
}

test("a merge is taken back on the tip by its person, later work stays, and no branch and no file changes", async () => {
  using at = scene();
  const before = at.all();
  const reverted = await at.revert([at.roof]);
  if (reverted.outcome !== "reverted") throw new Error(JSON.stringify(reverted));
  const { commit } = reverted;
  expect(at.run("diff", "--name-status", at.paint, commit)).toBe("D\troof.txt");
  const form = "--format=%P|%B|%an <%ae>|%cn";
  const [parents, message, author, committer] = at.run("log", "-1", form, commit).split("|");
  expect([parents, message]).toEqual([at.paint, "Revert it\n\nWhy.\n"]);
  expect([author, committer]).toEqual(["Ada <ada@example.invalid>", "Ada"]);
  expect(at.all()).toBe(before);
});

test("several are taken back as one commit, and nothing is left then", async () => {
  using at = scene();
  const reverted = await at.revert([at.paint, at.roof, at.walls]);
  if (reverted.outcome !== "reverted") throw new Error(JSON.stringify(reverted));
  expect(at.run("diff", "--name-only", at.base, reverted.commit)).toBe("");
  // As the lane has them then: the revert is one of those that have landed.
  const again = await at.revert([reverted.commit, at.paint, at.roof, at.walls], reverted.commit);
  expect(again).toEqual({ outcome: "same" });
});

test.each(["a merge", "a squash"])(
  "%s takes its person's branch along, and gives only its own back",
  async (way) => {
    using at = scene();
    const start = commitFiles(at.path, { "windows.txt": "large\n" }, "A commit of the person's");
    const result = commitFiles(at.path, { "door.txt": "green\n" }, "Result");
    at.run("checkout", "-q", "--detach", at.paint);
    at.run("merge", "-q", way === "a squash" ? "--squash" : "--no-ff", "--no-commit", result);
    at.run("commit", "-q", "-m", "Landed");
    const tip = CommitHash.parse(at.run("rev-parse", "HEAD"));
    at.run("switch", "-q", "main");
    const reverted = await at.revert([tip], tip, undefined, CommitHash.parse(start));
    if (reverted.outcome !== "reverted") throw new Error(JSON.stringify(reverted));
    expect(at.run("diff", "--name-status", tip, reverted.commit)).toBe("D\tdoor.txt");
  },
);

test("a branch that git cannot merge without the work that began on it stays whole: the files are named", async () => {
  using at = scene();
  const start = commitFiles(at.path, { "walls.txt": "green\n" }, "A commit of the person's");
  expect(await at.revert([at.paint], at.paint, undefined, CommitHash.parse(start))).toMatchObject({
    ...{ outcome: "conflict", of: at.paint, isMerge: false, files: ["walls.txt"] },
  });
});

test("what later work is built on is no commit: the files are named", async () => {
  using at = scene();
  expect(await at.revert([at.roof, at.walls])).toEqual({
    ...{ outcome: "conflict", of: at.walls, isMerge: true, files: ["walls.txt"] },
  });
});

test("one that is interrupted says so, and not what that has done to git", async () => {
  using at = scene();
  await expect(at.revert([at.roof], at.paint, AbortSignal.abort())).rejects.toMatchObject({
    ...{ code: "interrupted", message: "Interrupted: nothing was committed." },
  });
});

test("the commit of a person who signs all of them is signed, or the signer is named", async () => {
  using at = scene();
  const signer = join(at.path, ".git/sign");
  write(join(at.path, ".git"), { sign: "#!/bin/sh\nexit 2\n" });
  chmodSync(signer, 0o755);
  at.run("config", "gpg.program", signer);
  at.run("config", "commit.gpgsign", "true");
  const reason = await at.revert([at.roof]).catch((error: unknown) => error);
  expect(reason).toMatchObject({
    ...{ code: "git-failed", hint: expect.stringContaining(signer) },
  });
});
