// Brings the commits that are on record into the workspace's repository.
//
// The blackboard says which commit an artefact has, and so its name. What agents have published of
// it is copied into a quarantine as data, and what the commit needs goes from there into the
// repository. The user's remotes, FETCH_HEAD and tags are not involved.
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import type { Quarantine, RecordedCommit } from "../exchange/port.ts";
import { borrowing } from "../run/borrowing.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { fullDiskOf } from "../run/full-disk.ts";
import { type Git, LimitExceeded, pipeGit, runGit } from "../run/run-git.ts";
import { addingPack } from "./adding-pack.ts";
import { packOwnRefs } from "./pack-own-refs.ts";
import type { Source } from "./source.ts";
import { unpublishedCommits, unpublishedSentence } from "./unpublished.ts";

/** The commit of an artefact, and its name: `settRef`. */
export interface NamedCommit extends RecordedCommit {
  readonly ref: string;
}

/** `isUnpublished`: its agent has named a commit of others, so that nothing is lost with it. */
type CommitProblem = NamedCommit & { readonly reason: string; readonly isUnpublished?: true };

/**
 * `imported`: new in the workspace. `broken`: not available, or their name already names another
 * commit here, with the reason; the next call tries them again.
 */
export interface ImportedCommits {
  readonly imported: readonly NamedCommit[];
  readonly broken: readonly CommitProblem[];
}

/**
 * A name that the workspace has already never changes. `recorded`: the oldest first, because later
 * commits build on them. What the workspace has then leaves the exchange.
 */
export async function importCommits(
  at: Source,
  recorded: readonly NamedCommit[],
): Promise<ImportedCommits> {
  const result = await importMissing(at, recorded);
  const broken = new Set(result.broken.map(({ commit }) => commit));
  const fetched = new Set(
    recorded.map(({ commit }) => commit).filter((commit) => !broken.has(commit)),
  );
  // The commits are here. What stays, for instance because the disk is full, goes with the next
  // fetch.
  await at.exchange.release(fetched).catch(() => undefined);
  const problems = result.broken.map((each) => sayingFull(each, at.place));
  return { imported: result.imported, broken: await Promise.all(problems) };
}

async function sayingFull(
  problem: CommitProblem,
  { commonDir }: RepositoryPlace,
): Promise<CommitProblem> {
  const full = await fullDiskOf(new Error(problem.reason), commonDir);
  return full === undefined ? problem : { ...problem, reason: `${full.message} ${full.hint}` };
}

async function importMissing(
  at: Source,
  recorded: readonly NamedCommit[],
): Promise<ImportedCommits> {
  if (recorded.length === 0) return { imported: [], broken: [] };
  const { git, place, instance } = at;
  const known = await knownRefs(git, place);
  await packOwnRefs(git, place, instance);
  const moved = recorded.filter(({ ref, commit }) => known.has(ref) && known.get(ref) !== commit);
  const broken: CommitProblem[] = moved.map((each) => ({
    ...each,
    reason: `${each.ref} names ${known.get(each.ref)} here.`,
  }));
  const wanted = recorded.filter(({ ref }) => !known.has(ref));
  if (wanted.length === 0) return { imported: [], broken };

  await using quarantine = await at.exchange.quarantine();
  const tried: NamedCommit[] = [];
  for (const each of wanted) {
    const reason = quarantine.costly.problemOf(each.commit);
    if (reason === undefined) tried.push(each);
    else broken.push({ ...each, reason });
  }
  const problems = await quarantine.take(tried);
  const types = await typesOf(git, place, quarantine, tried);
  const others = await unpublishedCommits(at, tried, quarantine);
  const whole: NamedCommit[] = [];
  for (const each of tried) {
    const type = types.get(each.commit);
    if (others.has(each.commit) && each.agent !== "")
      broken.push({ ...each, reason: unpublishedSentence(each), isUnpublished: true });
    else if (type === "commit") whole.push(each);
    else broken.push({ ...each, reason: problems.get(each.commit) ?? absence(type) });
  }
  const imported = await importAll({ git, place, quarantine }, whole, broken);
  await quarantine.costly.save();
  return { imported, broken };
}

function absence(type: string | undefined): string {
  return type === undefined
    ? "Its objects are neither in the exchange nor in the repository."
    : `It is no commit, but a ${type}.`;
}

async function knownRefs(git: Git, place: RepositoryPlace): Promise<ReadonlyMap<string, string>> {
  const args = [
    repository(place),
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    "refs/sett/",
  ];
  const lines = (await runGit(git, { args })).split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
  );
}

/** The types of the objects that exist. */
async function typesOf(
  git: Git,
  place: RepositoryPlace,
  quarantine: Quarantine,
  wanted: readonly NamedCommit[],
): Promise<Map<CommitHash, string>> {
  const lines = await runGit(git, {
    args: [repository(place), "cat-file", "--batch-check=%(objectname) %(objecttype)"],
    stdin: wanted.map(({ commit }) => `${commit}\n`).join(""),
    env: borrowing(quarantine.objectsDir),
  });
  const types = new Map<CommitHash, string>();
  for (const [index, line] of lines.split("\n").slice(0, -1).entries()) {
    const [, type] = line.split(" ");
    const commit = wanted[index]?.commit;
    if (commit !== undefined && type !== undefined && type !== "missing") types.set(commit, type);
  }
  return types;
}

type Import = { git: Git; place: RepositoryPlace; quarantine: Quarantine };

/**
 * Imports all at once, or else each half by itself, so that a broken commit does not stop the
 * others. Adds broken ones to `broken`.
 */
async function importAll(
  how: Import,
  wanted: readonly NamedCommit[],
  broken: CommitProblem[],
): Promise<NamedCommit[]> {
  if (wanted.length === 0) return [];
  try {
    await importTogether(how, wanted);
    return [...wanted];
  } catch (error) {
    const [only, ...others] = wanted;
    if (only === undefined || others.length > 0) {
      const middle = Math.ceil(wanted.length / 2);
      const first = await importAll(how, wanted.slice(0, middle), broken);
      return [...first, ...(await importAll(how, wanted.slice(middle), broken))];
    }
    // Another `sett` that fetches at the same time may have been faster.
    const isThere = (await knownRefs(how.git, how.place)).get(only.ref) === only.commit;
    if (!isThere) broken.push({ ...only, reason: messageOf(error) });
    if (!isThere && error instanceof LimitExceeded)
      how.quarantine.costly.note(only.commit, messageOf(error));
    return [];
  }
}

/**
 * First proves that nothing is missing, then copies the objects, then writes the names; until then
 * a clean-up by the user must not remove the pack.
 */
async function importTogether(
  { git, place, quarantine }: Import,
  wanted: readonly NamedCommit[],
): Promise<void> {
  const known = await runGit(git, {
    args: [repository(place), "for-each-ref", "--format=^%(objectname)", "refs/sett/"],
  });
  const head = await runGit(git, {
    args: [repository(place), "rev-parse", "--verify", "HEAD^{commit}"],
  });
  const revisions = `${wanted.map(({ commit }) => `${commit}\n`).join("")}^${head}${known}`;
  const env = borrowing(quarantine.objectsDir);
  await runGit(git, {
    args: [repository(place), "rev-list", "--objects", "--quiet", "--stdin"],
    stdin: revisions,
    env,
  });
  const commits = wanted.map(({ commit }) => commit);
  await quarantine.keepContents(commits, revisions);
  const pack = await addingPack(place, () => copyObjects(git, place, revisions, env));
  try {
    // `create` replaces no name, also none that was written since we checked.
    const updates = wanted.map(({ ref, commit }) => `create ${ref} ${commit}\n`).join("");
    await runGit(git, { args: [repository(place), "update-ref", "--stdin"], stdin: updates });
  } finally {
    if (pack.isKept) await rm(`${pack.path}.keep`, { force: true });
    const files = wanted.map(({ ref }) => join(place.commonDir, ref));
    const folders = new Set(files.map((file) => dirname(file)));
    const packFiles = ["pack", "idx", "rev"].map((extension) => `${pack.path}.${extension}`);
    await changeOwner(
      place.owner,
      join(place.commonDir, "refs/sett"),
      ...folders,
      ...files,
      ...packFiles,
    );
  }
}

async function copyObjects(
  git: Git,
  place: RepositoryPlace,
  revisions: string,
  env: Record<string, string>,
): Promise<{ path: string; isKept: boolean }> {
  const args = [
    repository(place),
    "pack-objects",
    "--revs",
    "--thin",
    "--delta-base-offset",
    "--stdout",
    "--quiet",
  ];
  const index = { args: [repository(place), "index-pack", "--stdin", "--fix-thin", "--keep=sett"] };
  const written = await pipeGit({ git, run: { args, stdin: revisions, env } }, { git, run: index });
  const [kind, hash] = written.trim().split("\t");
  if (hash === undefined)
    throw new SettError(
      "git-failed",
      `git index-pack named no pack, but printed ${JSON.stringify(written)}.`,
    );
  return { path: join(place.objectsDir, "pack", `pack-${hash}`), isKept: kind === "keep" };
}

function repository(place: RepositoryPlace): string {
  return `--git-dir=${place.gitDir}`;
}
