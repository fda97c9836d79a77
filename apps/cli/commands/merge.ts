// sett merge: merges what came of a goal, or a lane, into the person's branch.

import {
  type MergeEnd,
  type MergePlan,
  mergePlanned,
  planMerge,
} from "../../../lib/client/actions/merge-goal.ts";
import { planLaneMerge, readLaneTip } from "../../../lib/client/actions/merge-lane.ts";
import { summarizeChanges } from "../../../lib/client/facts/changes.ts";
import { readGoalState } from "../../../lib/client/facts/goal.ts";
import { resolveArtefactId, resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { painted } from "../../../lib/client/render/painted.ts";
import { boundedLine, oneLine } from "../../../lib/client/text/plain-text.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import { itemSentence } from "../../../lib/words/result-sentence.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { openSession, type Session } from "../instance/session.ts";
import { dataArguments, goalArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { noRepository } from "../program/not-in-repository.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { confirm } from "../terminal/confirm.ts";
import type { Shell } from "../terminal/shell.ts";

export const merge = defineCommand({
  name: "merge",
  description: "merge what came of a goal, or a lane, into your branch",
  details: [
    "Merges the result commits of a goal that is achieved or settled into the branch that is checked out here, as your own",
    "git does: with your name, your hooks and your signature. It makes a commit with a message from the goal, whose trailers",
    "(Sett-Goal, Sett-Artefact, Reviewed-by, Approved-by) say later where it came from. It shows all of it first, and asks.",
    "Conflicts stay as git leaves them: resolve them and `git commit`, or `git merge --abort`. Where a goal has several",
    "result commits, it merges one after another; the same command again merges what is left. With --lane it merges the tip",
    "of a lane: all goals that have landed there since your branch has last got it.",
  ].join("\n"),
  args: {
    goal: goalArgument,
    lane: {
      type: "string",
      valueHint: "LANE",
      description: "instead of a goal: all that has landed on this lane",
    },
    only: {
      type: "string",
      valueHint: "ARTEFACT",
      description: "only this one of several result commits",
    },
    squash: { type: "boolean", description: "one commit of yours, without those of the agents" },
    ff: {
      type: "boolean",
      default: true,
      negativeDescription: "a merge commit, also where a fast-forward would do (as without it)",
      description: "as without it: a fast-forward would have no place for the trailers",
    },
    yes: { type: "boolean", alias: "y", description: "merge without asking" },
    ...dataArguments,
  },
  examples: ["sett merge 9f3a12b4", "sett merge 9f3a12b4 --squash", "sett merge --lane main --yes"],
  // It must not end while git writes.
  endsItself: true,
  async run(args, shell) {
    if (args.squash && !args.ff)
      throw new SettError("usage", "--squash and --no-ff exclude each other.", {
        hint: "Leave one of them out.",
      });
    const what = whatOf(args);
    await using session = await openSession(shell, args.name);
    const repository = await repositoryHere(session, shell);
    const plan =
      "lane" in what
        ? await planOfLane(session, repository, { ...args, ...what }, shell)
        : await planOfGoal(session, repository, { ...args, ...what }, shell);
    const open = plan.merges.filter(({ isMerged }) => !isMerged);
    if (open.length === 0) {
      if (args.json) await shell.out.write(`${JSON.stringify(jsonOf(plan, []))}\n`);
      shell.messages.done(`${nameOf(plan)} is merged already: ${plan.branch} has it.`);
      return exitCodes.done;
    }
    await show(plan, { session, repository }, shell);
    if (!args.yes) await requireConsent(plan, shell);
    const onSlow = (sentence: string) => shell.messages.note(sentence);
    const ends = await mergePlanned(repository, plan, { signal: shell.interrupted, onSlow });
    if (args.json) await shell.out.write(`${JSON.stringify(jsonOf(plan, ends))}\n`);
    const code = report(plan, ends, shell);
    if (code === exitCodes.done) await nameSubmodules(repository, plan, shell);
    return code;
  },
});

type What = { goal: string } | { lane: string };

/** Throws `usage` where not exactly one of them says what is merged. */
function whatOf({ goal, lane, only }: Record<"goal" | "lane" | "only", string | undefined>): What {
  const usage = (message: string, hint: string) => new SettError("usage", message, { hint });
  if (lane === undefined && goal !== undefined) return { goal };
  if (lane === undefined)
    throw usage("Nothing says what is merged.", "Name a goal, or a lane: --lane main");
  if (goal !== undefined)
    throw usage("A goal and --lane exclude each other.", "Leave one of them out.");
  if (only !== undefined)
    throw usage("--only and --lane exclude each other.", "Leave one of them out.");
  return { lane };
}

function nameOf({ of }: MergePlan): string {
  return "lane" in of ? `Lane ${of.lane}` : `Goal ${shortId(of.goal)}`;
}

/** The work tree of this folder, if it is one of the instance's repository; else the instance's. */
async function repositoryHere({ place }: Session, shell: Shell): Promise<HostRepository> {
  const { cwd, env } = shell;
  const here = await workspaceRoot(cwd);
  const { workspace } = place;
  const folder = workspace === undefined || workspace === "" ? here : workspace;
  if (folder === undefined)
    throw await noRepository(cwd, "Go to the branch that is to have the result.");
  const ofInstance = await HostRepository.open(folder, { env });
  if (here === undefined || here === folder) return ofInstance;
  const own = await HostRepository.open(here, { env }).catch(() => undefined);
  return own?.place.commonDir === ofInstance.place.commonDir ? own : ofInstance;
}

type Wanted = { goal: string; only: string | undefined; squash: boolean };

async function planOfGoal(
  { board }: Session,
  repository: HostRepository,
  { goal: text, only: onlyText, squash }: Wanted,
  shell: Shell,
): Promise<MergePlan> {
  const { suggest, messages } = shell;
  const goal = await resolveGoalId(board, text, suggest);
  const only =
    onlyText === undefined ? undefined : await resolveArtefactId(board, onlyText, suggest);
  await fetchResults(shell, repository.place.toplevel, () => readResults(board), "count");
  const { status } = await readGoalState(board, goal);
  return await planMerge(board, repository, {
    ...{ goal, only, suggest, state: status.state, mode: squash ? "squash" : "merge" },
    onSlow: messages.note,
  });
}

async function planOfLane(
  { board }: Session,
  repository: HostRepository,
  { lane: name, squash }: { lane: string; squash: boolean },
  shell: Shell,
): Promise<MergePlan> {
  const { suggest, messages } = shell;
  // Before the fetch, which then brings it.
  const { lane, tip } = await readLaneTip(board, name, suggest);
  await fetchResults(shell, repository.place.toplevel, () => readResults(board), "count");
  const mode = squash ? "squash" : "merge";
  return await planLaneMerge(board, repository, {
    ...{ lane, tip, mode, suggest, onSlow: messages.note },
  });
}

/** Everything is on stderr: with `--json`, stdout has what was merged. */
async function show(
  plan: MergePlan,
  { session, repository }: { session: Session; repository: HostRepository },
  shell: Shell,
): Promise<void> {
  const { merges, branch, folder, mode } = plan;
  const { err, messages } = shell;
  const how = mode === "squash" ? "squashes into one commit of" : "merges into";
  messages.note(`This ${how} ${boundedLine(branch, 100)}, in ${oneLine(folder)}:`);
  for (const { isMerged, message, ...one } of merges) {
    await err.write(`\n${painted(itemSentence(one), err.style, 200)}\n`);
    if (isMerged) {
      messages.note(`${boundedLine(branch, 100)} has it already.`);
      continue;
    }
    const changes = await changesOf(plan, one, { session, repository });
    if (changes !== undefined) await err.write(`${quotedLines(changes, err).join("\n")}\n`);
    await err.write(`${err.style.dim("message")}\n${quotedLines(message, err).join("\n")}\n`);
  }
}

/** A goal's since its own start, a lane's since what the branch has of it. */
async function changesOf(
  { of, branch }: MergePlan,
  { artefact: id, commit }: Pick<MergePlan["merges"][number], "artefact" | "commit">,
  { session, repository }: { session: Session; repository: HostRepository },
): Promise<string | undefined> {
  if ("lane" in of) {
    const from = await repository.startOfMerge(commit);
    const work = { commit, goal: undefined, recorded: [], earlier: [] };
    const name = `what ${boundedLine(branch, 100)} has of the lane`;
    return await repository.showChanges(work, "files", from && { name, commit: from });
  }
  const [artefact] = await session.board.readArtefacts([id]);
  if (artefact === undefined) return undefined;
  const person = await session.actor();
  return await summarizeChanges(session.board, repository, artefact, {
    ...{ person, detail: "files", into: repository },
  });
}

async function requireConsent({ of }: MergePlan, shell: Shell): Promise<void> {
  const what = "lane" in of ? `--lane ${of.lane}` : shortId(of.goal);
  if (!shell.isInteractive)
    throw new SettError("usage", "Nothing was merged: there is no terminal to ask you on.", {
      hint: `Merge it without being asked: ${shell.suggest(`merge ${what} --yes`)}`,
    });
  if (await confirm(shell, "Merge?")) return;
  throw new SettError("interrupted", "Nothing was merged.");
}

function report({ branch, merges }: MergePlan, ends: readonly MergeEnd[], shell: Shell): number {
  const { messages } = shell;
  for (const end of ends) {
    const name = shortId(end.artefact);
    if (end.outcome === "merged")
      messages.done(`Merged ${name} into ${branch}: ${end.head.slice(0, 12)}.`);
    else if (end.outcome === "same") messages.done(`${branch} has all that ${name} changes.`);
  }
  const last = ends.at(-1);
  if (last?.outcome !== "conflict") return exitCodes.done;
  const files = last.files.map((path) => boundedLine(path, 200)).join(", ");
  messages.warn(`${shortId(last.artefact)} has conflicts, which git has left to you: ${files}`);
  messages.next("Resolve them, git add each, and: git commit --no-edit");
  messages.next("Or take it back: git reset --merge");
  const open = merges.filter(({ isMerged }) => !isMerged).length - ends.length;
  if (open > 0) messages.note(`Then the same command again merges what is left: ${open} more.`);
  return exitCodes.failed;
}

/** A merge leaves the files of submodules at the commit that they had, as git does. */
async function nameSubmodules(
  repository: HostRepository,
  { folder }: MergePlan,
  { messages }: Shell,
): Promise<void> {
  const dirty = await repository.dirtyFiles(messages.note);
  const moved = dirty.flatMap(({ kind, path }) => (kind === "submodule" ? [path] : []));
  if (moved.length === 0) return;
  const names = moved.map((path) => boundedLine(path, 200)).join(", ");
  messages.note(
    `The files of submodules are those of another commit than the merged one: ${names}`,
  );
  messages.next(`In ${oneLine(folder)}: git submodule update`);
}

function jsonOf({ of, branch, merges }: MergePlan, ends: readonly MergeEnd[]) {
  return {
    ...of,
    branch,
    merged: ends,
    already: merges.filter(({ isMerged }) => isMerged).map(({ artefact }) => artefact),
  };
}
