// Commits of the worker: the result of the work, and work in progress that shall outlive a
// question.
import { lstat, readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { pathOfBytes } from "../../../lib/folders/folder-entries.ts";
import { showName, textOf } from "../../../lib/git/run/file-name.ts";
import { newGitlinks } from "../../../lib/git/run/new-gitlinks.ts";
import { type GitRun, gitFailure, runGit, tryGit } from "../../../lib/git/run/run-git.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { commitOf } from "./commit-names.ts";
import { planHead } from "./tools/plan.ts";
import { sizeText } from "./tools/read-file.ts";
import { gitIn, type Workspace } from "./workspace.ts";

/** More new files, or a larger one, is a folder of dependencies or a build that nothing ignores. */
export const maxNewFiles = 500;
const maxNewFileBytes = 10_000_000;

const addAll = ["add", "--all"];
const progressSubject = "Work in progress";

export type Commit = { ok: true; commit: CommitHash | undefined } | { ok: false; reason: string };

/**
 * Commits all that changed. `commit`: HEAD afterwards; undefined when nothing has changed since the
 * work began. Refused with a sentence for the model where it would add what no commit should have.
 * Throws git-failed.
 */
export async function commitChanges(workspace: Workspace, message: string): Promise<Commit> {
  const refusal =
    (await unfinished(workspace)) ??
    (await inSubmodule(workspace)) ??
    (await refusalOf(workspace)) ??
    (await outside(workspace));
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const added = await tryGit(workspace.git, { args: addAll, cwd: workspace.root });
  const unborn = /^error: '(.+)\/' does not have a commit checked out$/m.exec(added.stderr)?.[1];
  if (unborn !== undefined) return { ok: false, reason: repositoryInside(unborn) };
  if (added.exitCode !== 0) {
    const failure = gitFailure({ args: addAll }, added);
    // A merge may have left a conflict in a file where nothing is checked out.
    if (workspace.sparse !== undefined) return { ok: false, reason: failure.message };
    throw failure;
  }
  const links = await linksOf(workspace);
  if (links[0] !== undefined) {
    // Without it git would go on to take the folder for a link once its `.git` is gone.
    const forget = ["rm", "--cached", "--quiet", "--force"];
    await inLatin1(workspace, {
      args: ["--literal-pathspecs", ...forget, "--pathspec-from-file=-", "--pathspec-file-nul"],
      stdin: links.join("\0"),
    });
    return { ok: false, reason: repositoryInside(showName(links[0])) };
  }
  const staged = await gitIn(workspace, ["diff", "--cached", "--name-only"]);
  if (staged !== "") await gitIn(workspace, ["commit", "--quiet", "--file=-"], message);
  const head = await headOf(workspace);
  return { ok: true, commit: head === workspace.head && !workspace.hasProgress ? undefined : head };
}

/**
 * Keeps what has changed so far, and the plan, in a commit that `resumeProgress` of the next run
 * takes back. Throws git-failed.
 */
export async function keepProgress(workspace: Workspace, plan = workspace.plan): Promise<Commit> {
  if (workspace.head === undefined) return { ok: true, commit: undefined };
  const paragraphs = [progressSubject, "The agent has asked a question.", plan ?? ""];
  return await commitChanges(workspace, paragraphs.join("\n\n").trim());
}

/**
 * Takes the commit of work in progress back, where HEAD is that of a question among the inputs: its
 * changes are in the files again, as if the work had not been interrupted. Throws git-failed.
 */
export async function resumeProgress(
  workspace: Workspace,
  inputs: readonly Artefact[],
): Promise<Workspace> {
  const { head } = workspace;
  const questions = inputs.filter((one) => one.structural_type === "Question");
  if (head === undefined || !questions.some((one) => commitOf(one) === head)) return workspace;
  const [subject, ...paragraphs] = (await gitIn(workspace, ["log", "-1", "--format=%B"]))
    .trim()
    .split("\n\n");
  const isProgress = subject === progressSubject;
  if (isProgress) await gitIn(workspace, ["reset", "--quiet", "--mixed", "HEAD~1"]);
  const plan = isProgress ? paragraphs.find((text) => text.startsWith(planHead)) : undefined;
  const reached = await headOf(workspace);
  // The model may have made commits of its own before it asked.
  const hasProgress = !inputs.some((one) => !questions.includes(one) && commitOf(one) === reached);
  return { ...workspace, head: reached, hasProgress, plan };
}

async function headOf(workspace: Workspace): Promise<CommitHash> {
  return CommitHash.parse(
    (await gitIn(workspace, ["rev-parse", "--verify", "HEAD^{commit}"])).trim(),
  );
}

/**
 * The folders that would be in the commit without a file of theirs, also by commits of the model's
 * own.
 */
async function linksOf(workspace: Workspace): Promise<string[]> {
  if (workspace.head === undefined) return [];
  const run = (each: GitRun) => inLatin1(workspace, each);
  const changes = await run({
    args: ["diff-index", "--cached", "-z", "--raw", "--no-renames", workspace.head, "--"],
  });
  return await newGitlinks({ run, changes, modules: ":.gitmodules", root: workspace.root });
}

/**
 * `add` takes a file with the marks of a conflict for its resolution, and the commits that a rebase
 * has yet to make would be lost.
 */
async function unfinished(workspace: Workspace): Promise<string | undefined> {
  const args = ["diff", "--name-only", "-z", "--diff-filter=U"];
  const [name] = (await inLatin1(workspace, { args })).split("\0");
  if (name !== undefined && name !== "") {
    const file = showName(name);
    return (
      `${file} is in conflict, from a merge, a rebase or a stash that is not finished. Decide what it shall be, ` +
      `take the marks of the conflict out, and then \`git add ${file}\` (or \`git rm ${file}\`); \`git status\` says how to give it up.`
    );
  }
  const marked = await markedInMerge(workspace);
  if (marked !== undefined)
    return (
      `${showName(marked)} has lines of a conflict (\`<<<<<<<\`, \`>>>>>>>\`), and the merge, or the picked commit, is not committed. ` +
      "Decide what it shall be, and take them out, or commit with `run` what you really mean."
    );
  for (const folder of ["rebase-merge", "rebase-apply", "sequencer"]) {
    const path = (await gitIn(workspace, ["rev-parse", "--git-path", folder])).trimEnd();
    const found = await lstat(resolve(workspace.root, path)).catch(() => undefined);
    if (found !== undefined)
      return "A rebase, or a series of picked commits, is not finished: its other commits would be lost. `git status` says how to go on, and how to give it up.";
  }
  return undefined;
}

/** A merge, a picked or a reverted commit under way brings these to HEAD. */
const othersSides = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD^"];

/**
 * The first file with marks of a conflict that come from a merge under way, or a picked commit.
 * Those of a file that has them on purpose are in the version of one side at least.
 */
async function markedInMerge(workspace: Workspace): Promise<string | undefined> {
  for (const others of othersSides) {
    if (!(await isThere(workspace, others))) continue;
    const [own, other] = [
      await withOtherMarks(workspace, "HEAD"),
      await withOtherMarks(workspace, others),
    ];
    for (const name of own)
      if (other.includes(name) && (await addsMarks(workspace, name))) return name;
  }
  return undefined;
}

/** The configuration of the repository may name drivers and colours; none of them is used. */
const plainDiff = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"];

/** The files whose marks of a conflict are others than those of this commit: more, or fewer. */
async function withOtherMarks(workspace: Workspace, commit: string): Promise<string[]> {
  const args = [...plainDiff, "--name-only", "-z", "-G", "^(<<<<<<<|>>>>>>>) ", commit, "--"];
  return (await inLatin1(workspace, { args })).split("\0").filter((name) => name !== "");
}

async function addsMarks(workspace: Workspace, name: string): Promise<boolean> {
  const text = textOf(name);
  // An argument can have no name that is no UTF-8.
  if (text === undefined) return true;
  const args = ["--literal-pathspecs", ...plainDiff, "--unified=0", "HEAD", "--", text];
  return /^\+(?:<<<<<<<|>>>>>>>) /m.test(await inLatin1(workspace, { args }));
}

/** Whether there is such a commit. */
async function isThere(workspace: Workspace, name: string): Promise<boolean> {
  const args = ["rev-parse", "--verify", "--quiet", name];
  return (await tryGit(workspace.git, { args, cwd: workspace.root })).exitCode === 0;
}

/**
 * Git passes over what is in the folder of a submodule that has no repository here, and says
 * nothing of it.
 */
async function inSubmodule(workspace: Workspace): Promise<string | undefined> {
  const listed = await inLatin1(workspace, { args: ["ls-files", "-z", "--stage"] });
  for (const entry of listed.split("\0")) {
    const [, folder] = /^160000 [^\t]*\t(.*)$/s.exec(entry) ?? [];
    if (folder === undefined) continue;
    const at = pathOfBytes(workspace.root, folder);
    const listing = readdir(at, { encoding: "latin1" });
    const [name, ...more] = await listing.catch((): string[] => []);
    if (name !== undefined && ![name, ...more].includes(".git"))
      return (
        `${showName(folder)} is a submodule, and its files are in a repository of their own, which is not here: ` +
        `${showName(`${folder}/${name}`)} would not be in the commit. Remove it, and write what belongs to this repository elsewhere.`
      );
    if (name !== undefined && !Buffer.isBuffer(at) && (await isChanged(workspace, at)))
      return (
        `${showName(folder)} is a submodule, which is here for reading: what you have changed in it would not be in the commit. ` +
        `Undo it (\`git -C ${showName(folder)} checkout --force --detach COMMIT && git -C ${showName(folder)} clean -ffd\`), and change files of this repository.`
      );
  }
  return undefined;
}

/** Whether it has changes that are not committed. What has been committed in it moves its link. */
async function isChanged({ git }: Workspace, folder: string): Promise<boolean> {
  const status = { args: ["status", "--porcelain", "--ignore-submodules=none"], cwd: folder };
  const found = await tryGit(git, status);
  return found.exitCode === 0 && found.stdout !== "";
}

/**
 * The first change beyond the agent's part of the repository, which would not be published. In an
 * unfinished merge there are those of others.
 */
async function outside(workspace: Workspace): Promise<string | undefined> {
  const { sparse, head } = workspace;
  if (sparse === undefined || head === undefined) return undefined;
  if (await isThere(workspace, "MERGE_HEAD")) return undefined;
  const lists = [
    ["ls-files", "-z", "--others", "--exclude-standard"],
    ["diff-index", "-z", "--name-only", "--no-renames", "HEAD", "--"],
  ];
  for (const args of lists) {
    const names = (await inLatin1(workspace, { args })).split("\0").filter(Boolean);
    const name = names.find((each) => !sparse.names(each));
    if (name === undefined) continue;
    const file = showName(name);
    return (
      `${file} is not in the part of the repository that this agent may change: ${sparse.paths.join(", ")}. ` +
      `Remove it if it is new, else take back its change (\`git checkout HEAD -- ${file}\`).`
    );
  }
  return undefined;
}

/** Names of files have one character for each byte, as they need not be UTF-8. */
async function inLatin1({ git, root }: Workspace, run: GitRun): Promise<string> {
  return await runGit(git, { ...run, cwd: root, encoding: "latin1" });
}

/** `folder`: as `showName` gives it. */
function repositoryInside(folder: string): string {
  return (
    `${folder} has a repository of its own, so its files would not be in the commit. ` +
    `Remove ${folder}/.git, or let .gitignore name the folder.`
  );
}

async function refusalOf(workspace: Workspace): Promise<string | undefined> {
  const list = { args: ["ls-files", "-z", "--others", "--exclude-standard"] };
  const listed = await inLatin1(workspace, list);
  const names = listed.split("\0").filter((name) => name !== "");
  const remedy =
    "Remove what is no part of the work, let .gitignore name it, or commit with `run` what you really mean.";
  if (names.length > maxNewFiles) {
    const some = names.slice(0, 3).map(showName).join(", ");
    return `The commit would add ${names.length} new files, such as ${some}. ${remedy}`;
  }
  const repository = names.find((name) => name.endsWith("/"));
  if (repository !== undefined) return repositoryInside(showName(repository.slice(0, -1)));
  for (const name of names) {
    const found = await lstat(pathOfBytes(workspace.root, name)).catch(() => undefined);
    if (found !== undefined && found.size > maxNewFileBytes)
      return `The commit would add ${showName(name)} of ${sizeText(found.size)}. ${remedy}`;
  }
  return undefined;
}
