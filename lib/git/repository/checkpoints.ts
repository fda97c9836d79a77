// The checkpoints of the sealed log of an instance, as a chain of commits: each clone that has
// fetched it has seen them (docs/reference/proof.md#anchors-in-git).
import { join } from "node:path";
import { CommitHash, type InstanceName } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { commitTree } from "../run/merge-trees.ts";
import { type Git, type GitRun, runGit, tryGit } from "../run/run-git.ts";
import { sshOfPerson } from "../run/ssh-of-person.ts";
import { withoutPerson } from "../run/without-person.ts";
import { readObjects } from "./read-objects.ts";

const folder = "refs/sett-proof";
const file = "checkpoint";

/** Adds it to the chain, unless it is the last one there. Throws git-failed. */
export async function keepCheckpoint(
  git: Git,
  place: RepositoryPlace,
  instance: InstanceName,
  checkpoint: string,
): Promise<void> {
  const at = `--git-dir=${place.gitDir}`;
  const run = async (stdin: string, ...args: string[]) =>
    (await runGit(git, { args: [at, ...args], stdin })).trim();
  const ref = `${folder}/${instance}`;
  const tip = await tryGit(git, { args: [at, "rev-parse", "--verify", "--quiet", ref] });
  const parents = tip.exitCode === 0 ? [CommitHash.parse(tip.stdout.trim())] : [];
  const last = await tryGit(git, { args: [at, "cat-file", "blob", `${ref}:${file}`] });
  if (last.exitCode === 0 && last.stdout === checkpoint) return;
  const blob = await run(checkpoint, "hash-object", "-w", "--stdin");
  const tree = await run(`100644 blob ${blob}\t${file}\n`, "mktree");
  const [origin = "", size = ""] = checkpoint.split("\n");
  const own = { ...git, env: { ...git.env, ...withoutPerson } };
  const message = `${size} entries of ${origin}\n`;
  const commit = await commitTree(own, place.gitDir, { tree, parents, message });
  const off = ["-c", "core.logAllRefUpdates=false"];
  const before = parents[0] ?? "0".repeat(commit.length);
  const move = { args: [at, ...off, "update-ref", ref, commit, before] };
  // Another command may have added a checkpoint of its own; the next command adds what is newer.
  const moved = await tryGit(git, move);
  const now = await tryGit(git, { args: [at, "rev-parse", "--verify", "--quiet", ref] });
  if (moved.exitCode !== 0 && now.stdout === tip.stdout) await runGit(git, move);
  const objects = [blob, tree, commit].flatMap((hash) => [
    join(place.commonDir, "objects", hash.slice(0, 2)),
    join(place.commonDir, "objects", hash.slice(0, 2), hash.slice(2)),
  ]);
  const refs = [join(place.commonDir, folder), join(place.commonDir, ref)];
  await changeOwner(place.owner, ...objects, ...refs);
}

/** Pushes them as the person's own git does, and never by force. Throws git-failed. */
export async function pushCheckpoints(
  git: Git,
  place: RepositoryPlace,
  instance: InstanceName,
  remote: string,
): Promise<void> {
  const ref = `${folder}/${instance}`;
  const env = await sshOfPerson(git, place.gitDir);
  const to = ["push", "--quiet", "--end-of-options", remote, `${ref}:${ref}`];
  await runGit(git, { args: [`--git-dir=${place.gitDir}`, ...to], env, isFetch: true });
}

/** `time`: when git was given it, by the clock of that machine. */
export type KeptCheckpoint = { commit: CommitHash; time: Date; checkpoint: string };

/** Checkpoints are far smaller. */
const maxBytes = 10_000;

/**
 * Lists what this repository has seen, also by names that a fetch has given: the oldest first.
 * Throws git-failed.
 */
export async function listCheckpoints(
  run: (run: GitRun) => Promise<string>,
): Promise<KeptCheckpoint[]> {
  const refs = await run({ args: ["for-each-ref", "--format=%(refname)"] });
  const names = refs.split("\n").filter((name) => /^refs\/(?:.+\/)?sett-proof\//.test(name));
  if (names.length === 0) return [];
  const form = ["--reverse", "--no-color", "--format=%H %ct"];
  const listed = (await run({ args: ["log", ...form, ...names, "--"] })).trim().split("\n");
  const stdin = listed.map((line) => `${line.split(" ")[0]}:${file}\n`).join("");
  const checked = await run({ args: ["cat-file", "--batch-check"], stdin });
  const seen: KeptCheckpoint[] = [];
  const small = checked.split("\n").map((line) => {
    const [, hash, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    return Number(size) <= maxBytes ? hash : undefined;
  });
  const texts = await readObjects(run, new Set(small.filter((hash) => hash !== undefined)));
  for (const [at, line] of listed.entries()) {
    const [commit, seconds] = line.split(" ");
    const checkpoint = texts.get(small[at] ?? "")?.toString();
    if (checkpoint === undefined) continue;
    const time = new Date(Number(seconds) * 1_000);
    seen.push({ commit: CommitHash.parse(commit), time, checkpoint });
  }
  return seen;
}
