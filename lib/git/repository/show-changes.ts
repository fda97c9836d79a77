// Shows what a result changes: every commit from the start of the work to its result, and the files
// that they change together.
import { clauseOf, SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import type { RecordedCommit } from "../exchange/port.ts";
import { emptyTreeOf } from "../run/empty-tree.ts";
import { mergeBases } from "../run/merge-bases.ts";
import type { PlainView } from "../run/plain-view.ts";
import { gitFailure } from "../run/run-git.ts";
import { checkoutNotes } from "./checkout-notes.ts";
import { commitLog, maxCompared } from "./commit-log.ts";
import { hiddenTextNotes } from "./hidden-text-notes.ts";
import { nameNotes } from "./name-notes.ts";
import { submoduleNotes } from "./submodule-notes.ts";

/** The older ones of more commits are not shown. */
const maxShownCommits = 50;
/** With the sums; the line after them says how many there are. */
const maxListedFiles = 200;
/** Nothing is left out, and names look alike everywhere. */
const plain = ["--no-color", "--no-relative", "--ignore-submodules=none"];
const formOf = {
  sums: ["--shortstat"],
  list: ["--stat", `--stat-count=${maxListedFiles}`],
  files: ["--stat", "--summary"],
  lines: ["--patch", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/"],
} as const;

/**
 * `sums`: how many files and lines are changed, on one line; of the whole work with the list of its
 * files. `files`: how many lines of each file,
 * and which are new, gone, links or executable now. `lines`: the lines themselves, as a unified
 * diff, and the sizes of binary files.
 */
export type ChangeDetail = "sums" | "files" | "lines";

/** A commit that a result can be compared with, and what it is: `version 1`. */
export interface Earlier {
  readonly name: string;
  readonly commit: CommitHash;
}

/**
 * A result. `recorded`: the commits on record that it may be based on, and its own, the oldest
 * first.
 */
export interface Work {
  readonly commit: CommitHash;
  /**
   * The commit that the goal was posted on: what is merged later begins there. Undefined for a goal
   * that names none.
   */
  readonly goal: CommitHash | undefined;
  /** What that commit is; undefined: the commit of the goal. */
  readonly goalName?: string;
  readonly recorded: readonly RecordedCommit[];
  /** The commits that lanes of the instance have made, with messages from the record. */
  readonly landings?: readonly CommitHash[];
  readonly earlier: readonly Earlier[];
}

/**
 * All that the work changes: since the commit of its goal, and, without `lines`, since each earlier
 * commit as well. `since`: instead of the goal's. Throws git-failed, also when there is more than
 * git may show.
 */
export async function showChanges(
  view: PlainView,
  work: Work,
  detail: ChangeDetail,
  since?: Earlier,
): Promise<string> {
  const { commit } = work;
  const run = { args: ["cat-file", "-e", `${commit}^{commit}`] };
  const found = await view.try(run);
  if (found.exitCode !== 0) {
    const hint = "Results reach the repository with `sett hoard` or `sett forage --watch`.";
    const cause = gitFailure(run, found);
    throw new SettError("git-failed", `The repository does not have commit ${commit}.`, {
      hint,
      cause,
    });
  }
  try {
    const whole =
      since === undefined
        ? await showWhole(view, work, detail)
        : await showSince(view, commit, since, detail);
    if (detail === "lines") return await withSizes(view, whole);
    const parts = [whole];
    for (const each of since === undefined ? work.earlier : [])
      parts.push(await showSince(view, commit, each, detail));
    return parts.join(detail === "sums" ? "" : "\n");
  } catch (cause) {
    const message = `The changes of commit ${commit} cannot be shown: ${clauseOf(cause)}.`;
    throw new SettError("git-failed", message, {
      hint: "Do not check it out before you know why.",
      cause,
    });
  }
}

async function showWhole(view: PlainView, work: Work, detail: ChangeDetail): Promise<string> {
  const { commit, goal, goalName = "the commit of the goal", recorded, landings } = work;
  if (commit === goal) return `Nothing was changed since ${short(commit)}, ${goalName}.\n`;
  const start = await startOf(view, commit, goal, goalName);
  const from = start.from ?? emptyTreeOf(commit);
  const range = start.isAlone
    ? ["--no-walk", commit]
    : [start.from === undefined ? commit : `${start.from}..${commit}`];
  const count = start.isAlone
    ? 1
    : Number(await view.run({ args: ["rev-list", "--count", ...range, "--"] }));
  const log = await commitLog(view, range, maxShownCommits, recorded);
  const files = await diff(view, detail === "sums" ? "list" : detail, from, commit);
  const notes = [
    ...start.notes,
    ...foreignNote(log.foreign),
    ...(await claimNote(view, range, landings)),
    ...(count > maxCompared
      ? [`The authors of the newest ${maxCompared} of its ${count} commits were compared only.`]
      : []),
    ...(await settingNotes(view, from, commit)),
  ];
  const older = count > maxShownCommits ? `\n… and ${count - maxShownCommits} older commits\n` : "";
  const number = count === 1 ? "1 commit" : `${count} commits`;
  const title = `${number} ${start.name}`;
  const marked = notes.map((note) => `! ${note}\n`).join("");
  if (detail === "sums") {
    const list = files.replace(/[^\n]*\n?$/, "");
    return `${sumLine(title, files.slice(list.length))}${marked}${list}`;
  }
  return `${title}\n${marked}\n${log.text}${older}\n${files === "" ? " no file is changed\n" : files}`;
}

type Start = { from: string | undefined; name: string; notes: string[]; isAlone?: true };

async function startOf(
  view: PlainView,
  commit: CommitHash,
  goal: CommitHash | undefined,
  goalName: string,
): Promise<Start> {
  if (goal === undefined)
    return await alone(view, commit, "Its goal names no commit to compare with.");
  const named = `${short(goal)}, ${goalName}`;
  const bases = await mergeBases(view, goal, commit);
  const [base] = bases;
  if (base === goal) return { from: goal, name: `since ${named}`, notes: [] };
  // From one of several bases, what the work has dropped of another would not be seen.
  if (bases.length > 1)
    return {
      from: goal,
      name: `that ${short(goal)} does not have`,
      notes: [
        `It is not based on ${named}, but on ${bases.length} older ones: every difference to that commit is shown, also what a merge would leave as it is.`,
      ],
    };
  if (base !== undefined)
    return {
      from: base,
      name: `since ${short(base)}`,
      notes: [`It is not based on ${named}, but on an older one.`],
    };
  const isHere = (await view.try({ args: ["cat-file", "-e", `${goal}^{commit}`] })).exitCode === 0;
  if (!isHere) return await alone(view, commit, `The repository does not have ${named}.`);
  const apart = `It has no commit in common with ${named}: all of its files are shown as new, and \`git merge\` refuses it.`;
  return { from: undefined, name: "of a history that begins anew", notes: [apart] };
}

/** For a result that can be compared with nothing. */
async function alone(view: PlainView, commit: CommitHash, reason: string): Promise<Start> {
  const parent = await view.try({ args: ["rev-parse", "--verify", "--quiet", `${commit}^`] });
  const from = parent.exitCode === 0 ? parent.stdout.trim() : undefined;
  return {
    from,
    name: "alone",
    notes: [`${reason} What the commits before it change is not shown.`],
    isAlone: true,
  };
}

async function showSince(
  view: PlainView,
  commit: CommitHash,
  { name, commit: from }: Earlier,
  detail: ChangeDetail,
): Promise<string> {
  const title = `since ${name} (commit ${short(from)})`;
  if (from === commit) return `Nothing was changed ${title}.\n`;
  const isHere = (await view.try({ args: ["cat-file", "-e", `${from}^{commit}`] })).exitCode === 0;
  if (!isHere) return `The changes ${title} are not known: the repository does not have it.\n`;
  const files = await diff(view, detail, from, commit);
  if (detail === "sums") return sumLine(`Only ${title}`, files);
  const notes = (await settingNotes(view, from, commit)).map((note) => `! ${note}\n`).join("");
  return `Only the changes ${title}:\n${notes}\n${files === "" ? " no file is changed\n" : files}`;
}

async function diff(
  view: PlainView,
  detail: keyof typeof formOf,
  from: string,
  commit: CommitHash,
): Promise<string> {
  const result = await view.diff([...formOf[detail], ...plain], [from, commit]);
  if (result.exitCode !== 0) throw gitFailure({ args: ["diff"] }, result);
  return result.stdout;
}

function sumLine(title: string, shortstat: string): string {
  return `${title}: ${shortstat.trim() === "" ? "no file is changed" : shortstat.trim()}\n`;
}

/** Says what files of the commit itself let git hide, do to a checkout, or may be taken for. */
async function settingNotes(view: PlainView, from: string, commit: CommitHash): Promise<string[]> {
  return [
    ...(await nameNotes(view, from, commit)),
    ...(await hiddenTextNotes(view, from, commit)),
    ...(await checkoutNotes(view, from, commit)),
    ...(await submoduleNotes(view, from, commit)),
  ];
}

function foreignNote(count: number): string[] {
  if (count === 0) return [];
  const [commits, names] = count === 1 ? ["1 commit", "names"] : [`${count} commits`, "name"];
  return [`${commits} ${names} another author or committer than the agent that published it.`];
}

/** `sett merge` writes these into the message of a merge, from the record. */
const trailerOfMerge = "^(Sett-[A-Za-z-]+|Reviewed-by|Approved-by)[[:blank:]]*:";

/** A commit may say of itself what only a merge says truly, and git shows both alike later. */
async function claimNote(
  view: PlainView,
  range: readonly string[],
  landings: readonly string[] = [],
): Promise<string[]> {
  const said = ["--extended-regexp", "--regexp-ignore-case", `--grep=${trailerOfMerge}`];
  const found = await view.run({ args: ["log", "--format=%H", ...said, ...range, "--"] });
  const known = new Set(["", ...landings]);
  const count = found.split("\n").filter((commit) => !known.has(commit)).length;
  if (count === 0) return [];
  const messages = count === 1 ? "The message of 1 commit" : `The messages of ${count} commits`;
  return [
    `${messages} may pass for that of a merge (Sett-…, Reviewed-by, Approved-by): the author of a commit writes it, and only the record says who approved.`,
  ];
}

/** No line of a file or a message begins like these: git sets a sign or blanks before each. */
const binaryChange = /^index ([0-9a-f]+)\.\.([0-9a-f]+)[^\n]*\nBinary files [^\n]* differ\n/gm;
const noFile = /^0+$/;

/**
 * Adds the sizes of a binary file before and after, in the words of git's statistics: `Bin 2000 ->
 * 3000 bytes`.
 */
async function withSizes(git: PlainView, diff: string): Promise<string> {
  const hashes = [...diff.matchAll(binaryChange)].flatMap(([, before = "", after = ""]) => [
    before,
    after,
  ]);
  const named = [...new Set(hashes)].filter((hash) => !noFile.test(hash));
  if (named.length === 0) return diff;
  const run = {
    args: ["cat-file", "--batch-check=%(objecttype) %(objectsize)"],
    stdin: `${named.join("\n")}\n`,
  };
  const answers = (await git.run(run)).split("\n");
  const sizes = new Map(
    named.map((hash, at) => [hash, /^blob (\d+)$/.exec(answers[at] ?? "")?.[1]]),
  );
  const sizeOf = (hash: string) => (noFile.test(hash) ? "0" : sizes.get(hash));
  return diff.replace(binaryChange, (found, before: string, after: string) => {
    const [old, now] = [sizeOf(before), sizeOf(after)];
    return old === undefined || now === undefined ? found : `${found}Bin ${old} -> ${now} bytes\n`;
  });
}

function short(commit: CommitHash): string {
  return commit.slice(0, 12);
}
