// Brings published commits from the exchange into the workspace's repository.
//
// This is a `git fetch` that trusts nothing of the exchange but its objects. Agents can write there, and a fetch by path would
// obey their configuration with the rights of whoever runs `sett`. So the workspace's own git borrows the exchange's objects for
// one call and packs what is new; the refs are read as files. Nothing of the user's is involved: no remote, no FETCH_HEAD, no tags.
import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SettError } from "../model/errors.ts";
import { CommitHash } from "../model/ids.ts";
import { borrowsOnlyFromWorkspace, exchangePath } from "./exchange.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { giveTo } from "./give-to.ts";
import { isSettRef } from "./refs.ts";
import { type Git, pipeGit, runGit } from "./run-git.ts";

interface NamedCommit {
  readonly ref: string;
  readonly commit: CommitHash;
}

/** `imported`: new in the workspace. `broken`: refs of the exchange that stand for no whole commit, with the reason; tried again next time. */
export interface ImportedRefs {
  readonly imported: readonly NamedCommit[];
  readonly broken: readonly (NamedCommit & { reason: string })[];
}

/** A ref that the workspace has already never moves, so no agent can redirect a goal's or another artefact's. */
export async function importExchange(git: Git, place: RepositoryPlace): Promise<ImportedRefs> {
  const exchangeDir = exchangePath(place);
  const known = await knownRefs(git, place);
  const wanted = (await publishedRefs(exchangeDir)).filter(({ ref }) => !known.has(ref));
  if (wanted.length === 0) return { imported: [], broken: [] };
  if (!(await borrowsOnlyFromWorkspace(exchangeDir))) {
    throw new SettError("git-failed", `The exchange ${exchangeDir} borrows objects from a foreign place.`, {
      hint: "An agent has changed objects/info/alternates in it. Find out which before you go on.",
    });
  }
  try {
    await importCommits(git, place, wanted);
    return { imported: wanted, broken: [] };
  } catch {
    return await importOneByOne(git, place, wanted);
  }
}

/** One broken ref must not keep the others out. */
async function importOneByOne(git: Git, place: RepositoryPlace, wanted: readonly NamedCommit[]): Promise<ImportedRefs> {
  const imported: NamedCommit[] = [];
  const broken: (NamedCommit & { reason: string })[] = [];
  for (const each of wanted) {
    try {
      await importCommits(git, place, [each]);
      imported.push(each);
    } catch (error) {
      broken.push({ ...each, reason: messageOf(error) });
    }
  }
  return { imported, broken };
}

async function knownRefs(git: Git, place: RepositoryPlace): Promise<ReadonlySet<string>> {
  const refs = await runGit(git, { args: [repository(place), "for-each-ref", "--format=%(refname)", "refs/sett/"] });
  return new Set(refs.split("\n"));
}

/** The exchange's loose refs, of which cubs make no other kind. Links are not followed. */
async function publishedRefs(exchangeDir: string): Promise<NamedCommit[]> {
  const found: NamedCommit[] = [];
  for (const parent of ["refs", "refs/sett"]) {
    if ((await lstat(join(exchangeDir, parent)).catch(() => undefined))?.isDirectory() !== true) return found;
  }
  for (const instance of await readdir(join(exchangeDir, "refs/sett"), { withFileTypes: true })) {
    if (!instance.isDirectory()) continue;
    for (const id of await readdir(join(exchangeDir, "refs/sett", instance.name), { withFileTypes: true })) {
      const ref = `refs/sett/${instance.name}/${id.name}`;
      if (!id.isFile() || !isSettRef(ref)) continue;
      const commit = CommitHash.safeParse((await readFile(join(exchangeDir, ref), "utf8")).trim());
      if (commit.success) found.push({ ref, commit: commit.data });
    }
  }
  return found;
}

/** Objects, then the proof that none is missing, then the refs; until then a clean-up of the user's must not take the pack away. */
async function importCommits(git: Git, place: RepositoryPlace, wanted: readonly NamedCommit[]): Promise<void> {
  const commits = await runGit(git, {
    args: [repository(place), "for-each-ref", "--format=^%(objectname)", "refs/sett/"],
  });
  const head = await runGit(git, { args: [repository(place), "rev-parse", "--verify", "HEAD^{commit}"] });
  const revisions = `${wanted.map(({ commit }) => `${commit}\n`).join("")}^${head}${commits}`;
  const name = await copyObjects(git, place, revisions);
  const pack = join(place.objectsDir, "pack", `pack-${name.hash}`);
  try {
    await runGit(git, { args: [repository(place), "rev-list", "--objects", "--quiet", "--stdin"], stdin: revisions });
    const updates = wanted.map(({ ref, commit }) => `update ${ref} ${commit}\n`).join("");
    await runGit(git, { args: [repository(place), "update-ref", "--stdin"], stdin: updates });
  } finally {
    if (name.isKept) await rm(`${pack}.keep`, { force: true });
    for (const extension of ["pack", "idx", "rev"]) await giveTo(place.owner, `${pack}.${extension}`);
    await giveTo(place.owner, join(place.commonDir, "refs/sett"));
  }
}

async function copyObjects(git: Git, place: RepositoryPlace, revisions: string): Promise<{ hash: string; isKept: boolean }> {
  const borrowed = join(exchangePath(place), "objects").replace(/["\\]/g, "\\$&");
  const args = [repository(place), "pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "--quiet"];
  // Quoted, because a colon would end the path.
  const pack = { args, stdin: revisions, env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${borrowed}"` } };
  const index = { args: [repository(place), "index-pack", "--stdin", "--fix-thin", "--keep=sett"] };
  const [kind, hash] = (await pipeGit({ git, run: pack }, { git, run: index })).trim().split("\t");
  return { hash: hash ?? "", isKept: kind === "keep" };
}

function repository(place: RepositoryPlace): string {
  return `--git-dir=${place.gitDir}`;
}
