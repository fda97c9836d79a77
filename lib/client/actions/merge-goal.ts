// Merges what came of a goal into the branch of a person, at that person's word: first a plan,
// which the person reads, then the merge. The only place that merges.
import type { ArtefactGraph, GraphNode } from "../../core/artefact-graph.ts";
import {
  type GoalResult,
  goalResult,
  lineageOf,
  type ResultCommit,
} from "../../core/goal-result.ts";
import type { GoalState } from "../../core/goal-status.ts";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import type { Merged, MergeMode } from "../../git/repository/merge-commit.ts";
import { settRef } from "../../git/repository/refs.ts";
import { SettError } from "../../model/errors.ts";
import type { ArtefactId, CommitHash, GoalId } from "../../model/ids.ts";
import type { LaneName } from "../../model/lane.ts";
import { revertSentence } from "../../words/result-sentence.ts";
import { textOf as textOfSegments } from "../../words/segment.ts";
import { shortId } from "../../words/short-id.ts";
import { readSound } from "../facts/checked.ts";
import { readGraph } from "../facts/graph.ts";
import type { ReadingBoard } from "../facts/reading-board.ts";
import { dirtyHint, listDirty } from "../render/dirty-files.ts";
import { mergeMessage } from "../render/merge-message.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";

export type PlannedMerge = ResultCommit & { message: string; isMerged: boolean };

/** `folder`: the files into which it merges. */
export type MergePlan = {
  of: { goal: GoalId } | { lane: LaneName };
  branch: string;
  folder: string;
  mode: MergeMode;
  merges: PlannedMerge[];
};

export type MergeRepository = Pick<
  HostRepository,
  | "place"
  | "branch"
  | "commonWith"
  | "dirtyFiles"
  | "hasCommit"
  | "isMerged"
  | "commitSaying"
  | "merge"
>;

/** `only`: one of several result commits. `state`: of the goal. */
export type MergeWanted = {
  goal: GoalId;
  state: GoalState;
  only: ArtefactId | undefined;
  mode: MergeMode;
  suggest: Suggest;
  onSlow: (sentence: string) => void;
};

/**
 * Throws, with a sentence and a remedy, where there is nothing that may be merged:
 * `request-refused` for a goal that has not ended well, or without a commit; `repository-unusable`
 * without files or branch; `workspace-dirty`; `git-failed` for a commit that is not here.
 */
export async function planMerge(
  board: ReadingBoard,
  repository: MergeRepository,
  wanted: MergeWanted,
): Promise<MergePlan> {
  const { goal, state, mode, suggest } = wanted;
  const [graph, agents] = await Promise.all([readGraph(board, goal), board.listAgents()]);
  const result = goalResult(graph, state, agents);
  const commits = chosen(result, wanted, board.instance);
  const [first] = commits;
  const ref = first === undefined ? "COMMIT" : settRef(board.instance, first.artefact);
  const branch = await usableBranch(repository, ref, wanted.onSlow);
  const text = await textOf(board, graph, wanted);
  const merges: PlannedMerge[] = [];
  for (const one of commits) {
    await readSound(board, one.artefact, suggest);
    if (!(await repository.hasCommit(one.commit))) throw notHere(one, suggest);
    const about = lineageOf(graph, one.artefact);
    merges.push({
      ...one,
      message: mergeMessage({ result, one, text, about }),
      isMerged: await isMerged(repository, one, result.start),
    });
  }
  return { of: { goal }, branch, folder: repository.place.toplevel, mode, merges };
}

export type MergeEnd = { artefact: ArtefactId; commit: CommitHash } & Merged;

/**
 * Merges what the plan says and the branch does not have yet, in its order, until a conflict. The
 * person goes on with a conflict as after a `git merge`; the same plan made again has the rest.
 */
export async function mergePlanned(
  repository: MergeRepository,
  { merges, mode }: MergePlan,
  { signal, onSlow }: { signal: AbortSignal; onSlow: (sentence: string) => void },
): Promise<MergeEnd[]> {
  const ends: MergeEnd[] = [];
  for (const { artefact, commit, message, isMerged: isThere } of merges) {
    if (isThere) continue;
    const end = await repository.merge({ commit, message, mode, signal, onSlow });
    ends.push({ artefact, commit, ...end });
    if (end.outcome === "conflict") break;
  }
  return ends;
}

function chosen(
  result: GoalResult,
  { goal, only, suggest }: MergeWanted,
  instance: ReadingBoard["instance"],
): ResultCommit[] {
  const { state, commits } = result;
  const name = `Goal ${shortId(goal)}`;
  const refs = commits.map(({ artefact }) => settRef(instance, artefact)).join(" ");
  if (state !== "achieved" && state !== "settled") {
    const asIs = refs === "" ? "" : ` To merge what there is, as it is: git merge ${refs}`;
    const how: Record<Exclude<GoalState, "achieved" | "settled">, [string, string]> = {
      running: ["is running", `Wait for its end: ${suggest(`watch --goal ${shortId(goal)}`)}`],
      waiting: ["waits for a person", `What for: ${suggest("questions")}`],
      failed: ["failed", `Why: ${suggest(`status --goal ${shortId(goal)}`)}.${asIs}`],
      stalled: ["has no result", `Why: ${suggest(`status --goal ${shortId(goal)}`)}.${asIs}`],
      cancelled: [
        "was cancelled",
        asIs.trim() || `Post another goal: ${suggest('forage --goal "…"')}`,
      ],
    };
    const [what, hint] = how[state];
    throw new SettError("request-refused", `${name} ${what}: nothing is merged.`, { hint });
  }
  const found = only === undefined ? commits : commits.filter(({ artefact }) => artefact === only);
  if (found.length > 0) return found;
  if (only !== undefined && commits.length > 0)
    throw new SettError("usage", `${shortId(only)} is no result commit of goal ${shortId(goal)}.`, {
      hint: `Name one of these: ${commits.map(({ artefact }) => shortId(artefact)).join(", ")}`,
    });
  const [revert] = result.reverts;
  if (revert !== undefined)
    throw new SettError(
      "request-refused",
      `${name} was reverted ${textOfSegments(revertSentence(revert), oneLine)}: nothing is merged.`,
      { hint: `To merge what the lane has: ${suggest(`merge --lane ${revert.lane}`)}` },
    );
  throw new SettError("request-refused", `${name} has no result with a commit.`, {
    hint: `What it has made: ${suggest(`hoard --goal ${shortId(goal)}`)}`,
  });
}

/**
 * Throws where git could not merge, or would mix the merge with changes of the person's. `ref`: a
 * name of what is merged.
 */
export async function usableBranch(
  repository: MergeRepository,
  ref: string,
  onSlow: MergeWanted["onSlow"],
): Promise<string> {
  const { place } = repository;
  if (place.isBare)
    throw new SettError(
      "repository-unusable",
      `${place.toplevel} is a bare repository: it has no files to merge into.`,
      { hint: `Make a branch of it (git branch NAME ${ref}), or merge in a clone.` },
    );
  const branch = await repository.branch();
  if (branch === undefined)
    throw new SettError(
      "repository-unusable",
      `${place.toplevel} has no branch checked out: its HEAD is detached.`,
      { hint: "Go to the branch that is to have it: git switch BRANCH" },
    );
  // A file that git does not know is in no merge's way, or git refuses by itself.
  const dirty = (await repository.dirtyFiles(onSlow)).filter(({ state }) => state !== "??");
  if (dirty.length === 0) return branch;
  throw new SettError(
    "workspace-dirty",
    `The repository has changes that are not committed, and a merge would be mixed with them:\n${listDirty(dirty)}`,
    { hint: dirtyHint(dirty) },
  );
}

/** The newest version of the goal. */
async function textOf(
  board: ReadingBoard,
  { nodes, goal }: ArtefactGraph,
  { suggest }: MergeWanted,
): Promise<string> {
  const versions = nodes.filter(
    (node): node is Extract<GraphNode, { kind: "artefact" }> =>
      node.kind === "artefact" && String(node.logical_id) === String(goal),
  );
  const newest = versions.toSorted((one, other) => other.version - one.version)[0];
  if (newest === undefined) return "";
  return (await readSound(board, newest.id, suggest))?.payload ?? "";
}

function notHere({ artefact, commit }: ResultCommit, suggest: Suggest): SettError {
  return new SettError(
    "git-failed",
    `Commit ${commit.slice(0, 12)} of ${shortId(artefact)} is not in this repository.`,
    { hint: `Why it was not fetched: ${suggest(`unearth ${shortId(artefact)}`)}` },
  );
}

/** A squashed result is in no history; the message of its commit names it. */
async function isMerged(
  repository: MergeRepository,
  { artefact, commit }: ResultCommit,
  start: CommitHash | null,
): Promise<boolean> {
  if (await repository.isMerged(commit)) return true;
  const said = await repository.commitSaying(`Sett-Artefact: ${artefact}`, start ?? undefined);
  return said !== undefined;
}
