// Moves a commit from a working copy into the exchange, without clone, push, shell or hook.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../model/errors.ts";
import type { CommitHash } from "../model/ids.ts";
import { isSettRef } from "./refs.ts";
import { type Git, pipeGit, runGit, tryGit } from "./run-git.ts";

interface Publication {
  readonly git: Git;
  /** Where the commit is. */
  readonly gitDir: string;
  /** Where it goes: a bare repository. */
  readonly exchangeDir: string;
  readonly commit: CommitHash;
  readonly ref: string;
  /** A commit that the exchange holds or borrows, whole; without it the commit's whole history is copied. */
  readonly base: CommitHash | undefined;
}

/** First copies the objects, then proves that none is missing, then writes the ref: a name in the exchange always names a whole commit. */
export async function publishCommit(publication: Publication): Promise<void> {
  const { exchangeDir, commit, ref } = publication;
  if (!isSettRef(ref)) throw new SettError("git-failed", `"${ref}" is no name for a commit in the exchange.`);
  await requireExchange(exchangeDir);
  if (await isPublished(publication)) return;
  await copyObjects(publication);
  await requireWhole(publication);
  // All zeroes: only if no such ref exists. An artefact is immutable, and so is its ref.
  const run = inExchange(exchangeDir, ["update-ref", ref, commit, commit.replace(/./g, "0")]);
  const named = await tryGit(publication.git, run);
  if (named.exitCode !== 0 && !(await isPublished(publication))) await runGit(publication.git, run);
}

async function requireExchange(exchangeDir: string): Promise<void> {
  const head = await lstat(join(exchangeDir, "HEAD")).catch(() => undefined);
  if (head !== undefined) return;
  const hint = "It belongs into .git/sett of the workspace; `sett up` makes it.";
  throw new SettError("git-failed", `There is no exchange at ${exchangeDir}.`, { hint });
}

async function isPublished({ git, exchangeDir, commit, ref }: Publication): Promise<boolean> {
  const found = await tryGit(git, inExchange(exchangeDir, ["rev-parse", "--verify", "--quiet", ref]));
  if (found.exitCode !== 0) return false;
  const known = found.stdout.trim();
  if (known === commit) return true;
  throw new SettError("git-failed", `${ref} names ${known} in the exchange and cannot become ${commit}.`);
}

async function copyObjects({ git, gitDir, exchangeDir, commit, base }: Publication): Promise<void> {
  const args = [`--git-dir=${gitDir}`, "pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "--quiet"];
  const pack = { args, stdin: revisions(commit, base) };
  await pipeGit({ git, run: pack }, { git, run: inExchange(exchangeDir, ["index-pack", "--stdin", "--fix-thin"]) });
}

async function requireWhole({ git, exchangeDir, commit, base }: Publication): Promise<void> {
  const run = inExchange(exchangeDir, ["rev-list", "--objects", "--quiet", "--stdin"]);
  await runGit(git, { ...run, stdin: revisions(commit, base) });
}

function revisions(commit: CommitHash, base: CommitHash | undefined): string {
  const wanted = `${commit}^{commit}\n`;
  return base === undefined ? wanted : `${wanted}^${base}\n`;
}

function inExchange(exchangeDir: string, args: readonly string[]): { args: string[] } {
  return { args: [`--git-dir=${exchangeDir}`, ...args] };
}
