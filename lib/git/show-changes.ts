// What a result changes: every commit from the start of the work to its result, and the files that they change together.
import { messageOf, SettError } from "../model/errors.ts";
import type { CommitHash } from "../model/ids.ts";
import { type GitResult, type GitRun, gitFailure } from "./run-git.ts";

/** Of more commits only the newest are shown. */
const maxShownCommits = 50;
const plain = ["--no-color", "--no-ext-diff", "--no-textconv"];
/** Whatever the user's settings say: nothing is left out, and a merge has the lines which it brings to its first parent. */
const complete = ["--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none"];
const asMessages = ["--format=medium", "--no-color", "--no-decorate", "--no-show-signature", "--encoding=UTF-8"];

type GitCalls = { run(run: GitRun): Promise<string>; try(run: GitRun): Promise<GitResult> };

/** `files`: how many lines of each file are changed. `lines`: the lines themselves, as a unified diff, and the sizes of binary files. */
export type ChangeDetail = "files" | "lines";

/**
 * `starts`: commits where the work may have started; the first one that is an ancestor counts. Without one: only the commit itself. Throws
 * git-failed, also when there is more than git may show.
 */
export async function showChanges(
  git: GitCalls,
  commit: CommitHash,
  starts: readonly CommitHash[],
  detail: ChangeDetail = "files",
): Promise<string> {
  const run = { args: ["cat-file", "-e", `${commit}^{commit}`] };
  const found = await git.try(run);
  if (found.exitCode !== 0) {
    const hint = "Results reach the repository with `sett hoard` or `sett forage --watch`.";
    const cause = gitFailure(run, found);
    throw new SettError("git-failed", `The repository does not have commit ${commit}.`, { hint, cause });
  }
  try {
    const shown = await show(git, commit, starts, detail);
    return detail === "lines" ? await withSizes(git, shown) : shown;
  } catch (cause) {
    const message = `The changes of commit ${commit} cannot be shown: ${messageOf(cause)}.`;
    throw new SettError("git-failed", message, { hint: "Do not check it out before you know why.", cause });
  }
}

async function show(git: GitCalls, commit: CommitHash, starts: readonly CommitHash[], detail: ChangeDetail): Promise<string> {
  const form = detail === "lines" ? ["--patch", "--find-renames", ...complete] : ["--stat"];
  const base = await firstAncestor(git, commit, starts);
  if (base === undefined)
    return await git.run({ args: ["show", "--diff-merges=first-parent", ...form, ...plain, ...asMessages, commit, "--"] });
  if (base === commit) return `Nothing was changed since ${short(base)}.\n`;
  const range = `${base}..${commit}`;
  const count = Number(await git.run({ args: ["rev-list", "--count", range, "--"] }));
  const log = await git.run({ args: ["log", ...asMessages, `--max-count=${maxShownCommits}`, range, "--"] });
  const files = await git.run({ args: ["diff", ...form, ...plain, base, commit, "--"] });
  const older = count > maxShownCommits ? `\n… and ${count - maxShownCommits} older commits\n` : "";
  const number = count === 1 ? "1 commit" : `${count} commits`;
  return `${number} since ${short(base)}\n\n${log}${older}\n${files === "" ? " no file is changed\n" : files}`;
}

/** No line of a file or a message begins like these: git sets a sign or blanks before each. */
const binaryChange = /^index ([0-9a-f]+)\.\.([0-9a-f]+)[^\n]*\nBinary files [^\n]* differ\n/gm;
const noFile = /^0+$/;

/** Adds the sizes of a binary file before and after, in the words of git's statistics: `Bin 2000 -> 3000 bytes`. */
async function withSizes(git: GitCalls, diff: string): Promise<string> {
  const hashes = [...diff.matchAll(binaryChange)].flatMap(([, before = "", after = ""]) => [before, after]);
  const named = [...new Set(hashes)].filter((hash) => !noFile.test(hash));
  if (named.length === 0) return diff;
  const run = { args: ["cat-file", "--batch-check=%(objecttype) %(objectsize)"], stdin: `${named.join("\n")}\n` };
  const answers = (await git.run(run)).split("\n");
  const sizes = new Map(named.map((hash, at) => [hash, /^blob (\d+)$/.exec(answers[at] ?? "")?.[1]]));
  const sizeOf = (hash: string) => (noFile.test(hash) ? "0" : sizes.get(hash));
  return diff.replace(binaryChange, (found, before: string, after: string) => {
    const [old, now] = [sizeOf(before), sizeOf(after)];
    return old === undefined || now === undefined ? found : `${found}Bin ${old} -> ${now} bytes\n`;
  });
}

async function firstAncestor(git: GitCalls, commit: CommitHash, starts: readonly CommitHash[]): Promise<CommitHash | undefined> {
  for (const start of starts) {
    if ((await git.try({ args: ["merge-base", "--is-ancestor", start, commit] })).exitCode === 0) return start;
  }
  return undefined;
}

function short(commit: CommitHash): string {
  return commit.slice(0, 12);
}
