// The chain of checkpoints of a sealed log, in repositories of real git.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { hostEnv as env, git, instance } from "../../support/git/sample-repository.ts";

const noteOf = (size: number) => `demo.sett.invalid/1a2b3c4d\n${size}\nroot\n\n— demo signature\n`;
const ref = `refs/sett-proof/${instance}`;

test("each new checkpoint is kept once, on top of the one before, and a clone that fetches has them", async () => {
  const place = mkdtempSync(join(tmpdir(), "sett-checkpoints-"));
  const [from, to] = [join(place, "from"), join(place, "to")];
  git(place, "init", "--quiet", "--initial-branch=main", from);
  git(from, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  const repository = await HostRepository.open(from, { env });
  expect(await repository.listCheckpoints()).toEqual([]);
  for (const size of [3, 3, 7]) await repository.keepCheckpoint(instance, noteOf(size));
  await repository.keepCheckpoint(InstanceName.parse("other"), noteOf(1));
  expect(git(from, "log", "--format=%an %s", ref)).toBe(
    "Sett 7 entries of demo.sett.invalid/1a2b3c4d\nSett 3 entries of demo.sett.invalid/1a2b3c4d",
  );
  expect(git(from, "status", "--porcelain")).toBe("");
  expect(git(from, "rev-parse", "--abbrev-ref", "HEAD")).toBe("main");

  git(place, "clone", "--quiet", from, to);
  git(to, "fetch", "--quiet", "origin", `+${ref}:refs/remotes/origin/sett-proof/${instance}`);
  const seen = await (await HostRepository.open(to, { env })).listCheckpoints();
  expect(seen.map(({ checkpoint }) => checkpoint)).toEqual([noteOf(3), noteOf(7)]);
  expect(seen.at(-1)?.commit).toBe(git(from, "rev-parse", ref) as (typeof seen)[0]["commit"]);
  const age = Date.now() - (seen[0]?.time.getTime() ?? 0);
  expect(age).toBeWithin(-1_000, 600_000);
  rmSync(place, { recursive: true });
});

test("what others have put there under its name is passed over", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sett-checkpoints-"));
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  git(folder, "update-ref", ref, "HEAD");
  const repository = await HostRepository.open(folder, { env });
  await repository.keepCheckpoint(instance, noteOf(3));
  writeFileSync(join(folder, "checkpoint"), "x".repeat(10_001));
  git(folder, "add", "checkpoint");
  const tree = git(folder, "write-tree");
  git(folder, "update-ref", ref, git(folder, "commit-tree", tree, "-p", ref, "-m", "Large"));
  await repository.keepCheckpoint(instance, noteOf(9));
  const seen = await repository.listCheckpoints();
  expect(seen.map(({ checkpoint }) => checkpoint)).toEqual([noteOf(3), noteOf(9)]);
  rmSync(folder, { recursive: true });
});
