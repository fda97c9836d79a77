// Files of a commit as a folder, for a repository that has none: `sett up` reads sett.yml there,
// builds images and starts programs from it.
//
//   sett/files/COMMIT/…        the files; each commit has its own, so that they never change
//   sett/files/COMMIT.paths    what of the commit is there, whole
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import type { CommitHash } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { FullDisk, sayingFullDisk } from "../run/full-disk.ts";
import { type Git, runGit } from "../run/run-git.ts";
import { withLinkTargets } from "./link-targets.ts";

type From = { git: Git; place: RepositoryPlace };

/** The folder of the files of commits. */
export function filesPath({ commonDir }: Pick<RepositoryPlace, "commonDir">): string {
  return join(commonDir, "sett/files");
}

/**
 * The folder that has these files and folders of the commit, and what links on the way to them lead
 * to; a path that the commit does not have is passed over. Files become what a checkout of the
 * repository makes of them. Throws git-failed.
 */
export async function commitFiles(
  { git, place }: From,
  commit: CommitHash,
  paths: readonly string[],
): Promise<string> {
  const folder = join(filesPath(place), commit);
  const done = (await readFile(`${folder}.paths`, "utf8").catch(() => "")).split("\0");
  const missing = paths.filter((path) => !done.includes(path));
  if (missing.length === 0) return folder;
  const isNew = done.every((path) => path === "");
  const take = () => takeFiles({ git, place }, commit, { folder, done, missing });
  return await sayingFullDisk(filesPath(place), take).catch(async (error: unknown) => {
    // Half of the files would keep the disk full.
    if (isNew && error instanceof FullDisk)
      for (const each of [folder, `${folder}.new`]) await removeTree(each);
    throw error;
  });
}

type Taking = { folder: string; done: readonly string[]; missing: readonly string[] };

async function takeFiles(
  { git, place }: From,
  commit: CommitHash,
  { folder, done, missing }: Taking,
): Promise<string> {
  await makeFolder(place, folder);
  const own = await mkdtemp(join(tmpdir(), "sett-index-"));
  try {
    const run = (args: readonly string[], stdin = "") =>
      runGit(git, {
        args: [`--git-dir=${place.gitDir}`, `--work-tree=${folder}`, ...args],
        cwd: folder,
        env: { GIT_INDEX_FILE: join(own, "index") },
        stdin,
        encoding: "latin1",
      });
    await run(["read-tree", commit]);
    const wanted = await withLinkTargets(({ args }) => run(args), commit, missing);
    const listed = await run(["--literal-pathspecs", "ls-files", "-z", "--", ...wanted]);
    await run(["checkout-index", "--force", "-z", "--stdin"], listed);
    await changeOwner(place.owner, ...namesIn(listed).map((name) => join(folder, name)));
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  await writeFile(`${folder}.new`, [...done, ...missing].join("\0"));
  await rename(`${folder}.new`, `${folder}.paths`);
  await changeOwner(place.owner, `${folder}.paths`);
  return folder;
}

/** Removes the files of all other commits; of all where none is named. */
export async function keepCommitFiles(
  place: RepositoryPlace,
  commit: CommitHash | undefined,
): Promise<void> {
  const names = await readdir(filesPath(place)).catch(() => []);
  for (const name of names)
    if (commit === undefined || !name.startsWith(commit))
      await removeTree(join(filesPath(place), name));
  if (commit === undefined) await rm(filesPath(place), { recursive: true, force: true });
}

async function makeFolder(place: RepositoryPlace, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const parents = [dirname(filesPath(place)), filesPath(place), folder];
  await changeOwner(place.owner, ...parents);
}

/** With the folders above them. */
function namesIn(listed: string): string[] {
  const names = new Set<string>();
  for (const bytes of listed.split("\0").slice(0, -1)) {
    let name = Buffer.from(bytes, "latin1").toString("utf8");
    for (; name !== "." && !names.has(name); name = dirname(name)) names.add(name);
  }
  return [...names];
}
