// Puts a commit from a working copy into the exchange: one file with all that it needs, which is in
// place only when it is whole.
import { closeSync, openSync } from "node:fs";
import { lstat, rename } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import { SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import { packName } from "../exchange/pack-name.ts";
import type { IsAllowed } from "../exchange/port.ts";
import { takePack } from "../exchange/take-commit.ts";
import { makeStore } from "../run/borrowing.ts";
import { limitedInContainer } from "../run/limited.ts";
import { type Git, runGit } from "../run/run-git.ts";
import { sharePack } from "./link-shared-packs.ts";

interface Publication {
  readonly git: Git;
  /** The repository that has the commit. */
  readonly gitDir: string;
  /** The store that every reader has: the pack need not hold its objects. */
  readonly objectsDir: string;
  /** The agent's own folder of the exchange. */
  readonly folder: string;
  readonly commit: CommitHash;
  /**
   * The commit in `objectsDir` that the goal was stated on; without it the commit's whole history
   * is copied.
   */
  readonly start: CommitHash | undefined;
  readonly isAllowed: IsAllowed;
}

/**
 * Resolves with whether it was allowed. Throws git-failed when something that the commit needs is
 * missing; then nothing is published.
 */
export async function publishCommit(given: Publication): Promise<boolean> {
  // A commit that exceeds the limits here would be on record as a success, and exceed those of each
  // reader.
  const publication = { ...given, git: limitedInContainer(given.git) };
  const { folder, commit, start } = publication;
  await requireFolder(folder);
  const unfinished = join(folder, `.${commit}`);
  try {
    await removeTree(unfinished);
    await writePack(publication, unfinished);
    if (!(await isGood(publication, unfinished))) return false;
    await rename(unfinished, join(folder, packName(commit)));
    if (start !== undefined) await sharePack({ ...publication, start }).catch(() => undefined);
    return true;
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

async function writePack({ git, gitDir, commit, start }: Publication, path: string): Promise<void> {
  const args = [
    `--git-dir=${gitDir}`,
    "pack-objects",
    "--revs",
    "--thin",
    "--delta-base-offset",
    "--stdout",
    "--quiet",
  ];
  const wanted = `${commit}^{commit}\n`;
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
async function isGood(
  { git, gitDir, objectsDir, commit, start, isAllowed }: Publication,
  path: string,
): Promise<boolean> {
  const check = join(gitDir, "sett-check");
  try {
    await makeStore(check, objectsDir);
    await withFile(path, "r", (fd) => takePack({ git, gitDir, objectsDir: check }, fd));
    const env = { GIT_OBJECT_DIRECTORY: check };
    const range = [`${commit}^{commit}`, ...(start === undefined ? [] : [`^${start}`])];
    await runGit(git, {
      args: [`--git-dir=${gitDir}`, "log", "--format=%ad%cd", ...range, "--"],
      env,
      onStdout: () => {},
    });
    return await isAllowed({ git: { ...git, env: { ...git.env, ...env } }, gitDir });
  } finally {
    await removeTree(check);
  }
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
