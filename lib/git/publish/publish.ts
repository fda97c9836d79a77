// Puts a commit from a working copy into the exchange: one file with all that it needs, which
// others have only when it is whole.
import { closeSync, openSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import { SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import { maxPackBytes } from "../../model/packs.ts";
import type { Judgement, Origin } from "../exchange/port.ts";
import { takeFile } from "../exchange/take-commit.ts";
import { makeStore } from "../run/borrowing.ts";
import { sayingFullDisk } from "../run/full-disk.ts";
import { limitedInContainer } from "../run/limited.ts";
import { type Git, runGit, tryGit } from "../run/run-git.ts";
import { tooLarge } from "./too-large.ts";

interface Publication {
  readonly git: Git;
  /** The repository that has the commit. */
  readonly gitDir: string;
  /** The store that every reader has: the pack need not hold its objects. */
  readonly objectsDir: string;
  /** The pack is written here. */
  readonly folder: string;
  /** It says what a person can do where its disk is full. */
  readonly remedyWhenFull: string;
  readonly commit: CommitHash;
  /**
   * The commit in `objectsDir` that the goal was stated on; without it the commit's whole history
   * is copied.
   */
  readonly start: CommitHash | undefined;
  readonly judgement: Judgement | undefined;
  readonly beside: readonly string[] | undefined;
  /** Left out, it is as much as readers take. */
  readonly maxBytes?: number | undefined;
}

/** Gives the pack to others: `path` is whole, and `checked` has it with every object hashed. */
type Place = (path: string, checked: Origin) => Promise<void>;

/**
 * Resolves with whether it was allowed. Throws git-failed when something that the commit needs is
 * missing, and when there is more of it than readers take; then nothing is published.
 */
export async function publishCommit(given: Publication, place: Place): Promise<boolean> {
  // A commit that exceeds the limits here would be on record as a success, and exceed those of each
  // reader. Its judge may read it as a whole.
  const publication = { ...given, git: limitedInContainer(given.git) };
  const { folder, commit } = publication;
  await requireFolder(folder);
  const unfinished = join(folder, `.${commit}`);
  try {
    await removeTree(unfinished);
    const wanted = [commit, ...(given.beside ?? [])] as const;
    const write = () => writePack(publication, wanted, unfinished);
    await sayingFullDisk(folder, write, given.remedyWhenFull);
    const [{ size: bytes }, { maxBytes = maxPackBytes }] = [await lstat(unfinished), given];
    if (bytes > maxBytes) throw await tooLarge(publication, { ...publication, bytes, maxBytes });
    return await whenChecked(publication, unfinished, async (objects) => {
      const checked = reading(given, objects);
      if ((await given.judgement?.isAllowed(checked)) === false) return false;
      await place(unfinished, reading(publication, objects));
      return true;
    });
  } finally {
    await removeTree(unfinished).catch(() => undefined);
  }
}

async function requireFolder(folder: string): Promise<void> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isDirectory()) return;
  const hint = "It belongs into .git/sett/exchange of the workspace; `sett up` makes it.";
  throw new SettError("git-failed", `There is no folder ${folder} to publish in.`, { hint });
}

async function writePack(
  { git, gitDir, start }: Publication,
  [commit, ...beside]: readonly [CommitHash, ...string[]],
  path: string,
): Promise<void> {
  const args = [
    `--git-dir=${gitDir}`,
    "pack-objects",
    "--revs",
    "--thin",
    "--delta-base-offset",
    "--stdout",
    "--quiet",
  ];
  const wanted = [`${commit}^{commit}`, ...beside].map((line) => `${line}\n`).join("");
  await withFile(path, "wx", (fd) =>
    runGit(git, {
      args,
      stdin: start === undefined ? wanted : `${wanted}^${start}\n`,
      stdoutFile: fd,
    }),
  );
}

/**
 * As every reader will, in a store that is thrown away: the objects of the working copy may be
 * other than their names say. A date may be none that git can show: where such a commit was merged,
 * each `git log` would end with an error at it.
 */
async function whenChecked<Result>(
  publication: Publication,
  path: string,
  use: (objectsDir: string) => Promise<Result>,
): Promise<Result> {
  const { gitDir, objectsDir, commit, start, judgement } = publication;
  const check = join(gitDir, "sett-check");
  try {
    await makeStore(check, objectsDir);
    await take(publication, check, path);
    const checked = reading(publication, check);
    const range = [`${commit}^{commit}`, ...(start === undefined ? [] : [`^${start}`])];
    await runGit(checked.git, {
      args: [`--git-dir=${gitDir}`, "log", "--format=%ad%cd", ...range, "--"],
      onStdout: () => {},
    });
    if (judgement !== undefined && !(await hasCommit(checked, judgement.base))) {
      const beside = join(check, "base.pack");
      await writePack(publication, [judgement.base], beside);
      await take(publication, check, beside);
    }
    return await use(check);
  } finally {
    await removeTree(check);
  }
}

/** The repository with the objects of another store in the place of its own. */
function reading({ git, gitDir }: Origin, objectsDir: string): Origin {
  return { git: { ...git, env: { ...git.env, GIT_OBJECT_DIRECTORY: objectsDir } }, gitDir };
}

async function take({ git, gitDir }: Publication, objectsDir: string, path: string): Promise<void> {
  await takeFile({ git, gitDir, objectsDir }, path);
}

/** What is there is whole: a pack of which anything is missing is not taken. */
async function hasCommit({ git, gitDir }: Origin, commit: CommitHash): Promise<boolean> {
  const args = [`--git-dir=${gitDir}`, "cat-file", "-e", `${commit}^{commit}`];
  return (await tryGit(git, { args })).exitCode === 0;
}

async function withFile<Result>(
  path: string,
  flags: string,
  use: (fd: number) => Promise<Result>,
): Promise<Result> {
  const fd = openSync(path, flags, 0o644);
  try {
    return await use(fd);
  } finally {
    closeSync(fd);
  }
}
