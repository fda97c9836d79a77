// Shows that goals and results come whole into another repository, and nothing else with them.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import {
  hostEnv as env,
  git,
  instance,
  newArtefactId,
} from "../../support/git/sample-repository.ts";

const refsOf = (folder: string) =>
  git(folder, "for-each-ref", "--format=%(refname) %(objectname)").split("\n");

test("a bundle brings all results with their history, under their names alone, or nothing", async () => {
  const place = mkdtempSync(join(tmpdir(), "sett-bundle-"));
  const [from, to, path] = ["from", "to", "results.bundle"].map((name) => join(place, name));
  if (from === undefined || to === undefined || path === undefined) throw new Error("No place.");
  git(place, "init", "--quiet", "--initial-branch=main", from);
  git(from, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  const source = await HostRepository.open(from, { env });
  expect(await source.writeResults(instance, () => expect.unreachable())).toBe(0);
  const ref = `refs/sett/${instance}/${newArtefactId()}`;
  writeFileSync(join(from, "file"), "a result");
  git(from, "add", "file");
  const commit = git(from, "commit-tree", git(from, "write-tree"), "-p", "HEAD", "-m", "Result");
  git(from, "update-ref", ref, commit);
  git(from, "update-ref", "refs/sett/other/goal", commit);
  const chunks: Uint8Array[] = [];
  expect(await source.writeResults(instance, (chunk) => void chunks.push(chunk))).toBe(1);
  writeFileSync(path, Buffer.concat(chunks));

  git(place, "init", "--quiet", "--initial-branch=main", to);
  const target = await HostRepository.open(to, { env, mayBeEmpty: true });
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, -30));
  expect(target.readResults(instance, path)).rejects.toMatchObject({ code: "git-failed" });
  await target.readResults(instance, path).catch(() => undefined);
  expect(refsOf(to)).toEqual([""]);
  // A person could name anything in such a file.
  git(from, "update-ref", `refs/sett/${instance}/more`, commit);
  git(from, "bundle", "create", "--quiet", path, "--all");
  await target.readResults(instance, path);
  expect(refsOf(to)).toEqual([`${ref} ${commit}`, `refs/sett/${instance}/more ${commit}`].sort());
  expect(git(to, "show", `${ref}:file`)).toBe("a result");
  // Again is fine.
  await target.readResults(instance, path);
  rmSync(place, { recursive: true });
});
