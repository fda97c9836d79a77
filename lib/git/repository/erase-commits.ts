// Erases the commits of results from the repository and from what agents see: their names, and the
// objects that nothing else reaches. A commit that something else reaches stays, and is named.
import { CommitHash } from "../../model/ids.ts";
import { removeObjects } from "../run/remove-objects.ts";
import { type GitRun, runGit, tryGit } from "../run/run-git.ts";
import type { Source } from "./source.ts";

/** `by`: names of what reaches it, or where it is. */
export type StayingCommit = { commit: CommitHash; by: string[] };
/** `erased`: gone from this repository. */
export type ErasedCommits = { erased: CommitHash[]; staying: StayingCommit[] };

const maxNamed = 3;
/** All that git itself keeps: names, what they were before, and what is staged. */
const kept = ["--all", "--reflog", "--indexed-objects"];

/** `refs`: the names of the results. A repeat does what is left. Throws git-failed. */
export async function eraseCommits(
  at: Source,
  refs: readonly string[],
  commits: readonly CommitHash[],
): Promise<ErasedCommits> {
  await removeNames(at, refs);
  const there = await presentOf(at, commits);
  const staying: StayingCommit[] = [];
  for (const commit of there) {
    const by = await namesReaching(at, commit);
    if (by.length > 0) staying.push({ commit, by });
  }
  const wanted = there.filter((commit) => staying.every((one) => one.commit !== commit));
  if (at.place.promisors.length > 0 && wanted.length > 0)
    return { erased: [], staying: [...staying, ...stayingBy(wanted, "a partial clone")] };
  const objects = wanted.length === 0 ? new Set<string>() : await onlyReachedBy(at, wanted);
  const known = wanted.filter((commit) => !objects.has(commit));
  staying.push(...stayingBy(known, "a reflog, or what is staged"));
  const last = new Set<string>(wanted.filter((commit) => objects.has(commit)));
  const first = objects.difference(last);
  await at.exchange.erase(commits, { first, last });
  const { git, place } = at;
  const packs = await removeObjects({ git, place, folder: place.objectsDir }, { first, last });
  const left = await presentOf(
    at,
    [...last].map((hash) => CommitHash.parse(hash)),
  );
  staying.push(...stayingBy(left, packs[0] ?? "another repository, from which this one borrows"));
  const erased = commits.filter((commit) => staying.every((one) => one.commit !== commit));
  return { erased, staying };
}

function stayingBy(commits: readonly CommitHash[], name: string): StayingCommit[] {
  return commits.map((commit) => ({ commit, by: [name] }));
}

async function removeNames(at: Source, refs: readonly string[]): Promise<void> {
  const names = await run(at, {
    args: ["for-each-ref", "--format=%(refname)", `refs/sett/${at.instance}/`],
  });
  const there = new Set(names.split("\n"));
  const going = refs.filter((ref) => there.has(ref));
  if (going.length === 0) return;
  const stdin = going.map((ref) => `delete ${ref}\n`).join("");
  await run(at, { args: ["update-ref", "--stdin"], stdin });
}

async function presentOf(at: Source, commits: readonly CommitHash[]): Promise<CommitHash[]> {
  const stdin = commits.map((commit) => `${commit}\n`).join("");
  const args = ["cat-file", "--batch-check=%(objecttype)"];
  const types = (await run(at, { args, stdin, env: { GIT_NO_LAZY_FETCH: "1" } })).split("\n");
  return commits.filter((_, place) => types[place] === "commit");
}

async function namesReaching(at: Source, commit: CommitHash): Promise<string[]> {
  const form = ["--format=%(refname)", `--count=${maxNamed}`];
  const named = await run(at, { args: ["for-each-ref", `--contains=${commit}`, ...form] });
  const names = named.split("\n").filter((name) => name !== "");
  const args = ["merge-base", "--is-ancestor", commit, "HEAD"];
  const isOfHead = (await tryGit(at.git, inPlace(at, { args }))).exitCode === 0;
  return isOfHead && names.length === 0 ? ["HEAD"] : names;
}

/** What lies between is found first: git's own answer may have what older history has as well. */
async function onlyReachedBy(at: Source, commits: readonly CommitHash[]): Promise<Set<string>> {
  const form = ["rev-list", "--objects", "--no-object-names"];
  const between = await run(at, { args: [...form, ...commits, "--not", ...kept] });
  const only = new Set(between.split("\n").filter((object) => object !== ""));
  const nameBytes = at.place.objectFormat === "sha256" ? 64 : 40;
  let rest = "";
  await run(at, {
    args: [...form, ...kept],
    onStdout: (chunk) => {
      rest += Buffer.from(chunk).toString("latin1");
      const lines = rest.length - (rest.length % (nameBytes + 1));
      for (let place = 0; place < lines; place += nameBytes + 1)
        only.delete(rest.slice(place, place + nameBytes));
      rest = rest.slice(lines);
    },
  });
  return only;
}

function inPlace({ place }: Source, each: GitRun): GitRun {
  const [subcommand = "", ...args] = each.args;
  return { ...each, args: [`--git-dir=${place.gitDir}`, subcommand, ...args], cwd: place.gitDir };
}

async function run(at: Source, each: GitRun): Promise<string> {
  return await runGit(at.git, inPlace(at, each));
}
