// `cub --lane`: merges the target's commit onto the tip of a lane, runs the gates on what comes of
// it, and says that the lane has moved there. The record moves it, and only from the tip that this
// work began with (docs/guides/lane.md). A tool like any other: the tool contract on stdin, one
// answer on stdout.
import process from "node:process";
import { commitTree, mergeTrees } from "../../../lib/git/run/merge-trees.ts";
import { ownLibraries } from "../../../lib/git/run/own-libraries.ts";
import { type Git, runGit, tryGit } from "../../../lib/git/run/run-git.ts";
import { goalType } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { landedType, revertedLaneOf } from "../../../lib/model/lane.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { runningTimeout } from "../../../lib/process/running-time.ts";
import { stopSignal } from "../../../lib/service/stop-signal.ts";
import { commandEnvironment } from "../prompt-worker/command-environment.ts";
import { marginMs, readInput } from "../prompt-worker/read-input.ts";
import { mergeMessage, visible } from "./merge-message.ts";
import { runGates } from "./run-gates.ts";
import { type LaneWork, readLaneWork } from "./settings.ts";
import { sidesOf } from "./sides-of.ts";

type Environment = Record<string, string | undefined>;

/** The working directory is the workspace. Throws environment-invalid, usage and git-failed. */
export async function runLane(environment: Environment): Promise<void> {
  const work = readLaneWork(environment);
  const deadline = runningTimeout(work.timeoutMs - marginMs(work.timeoutMs));
  const signal = AbortSignal.any([stopSignal(), deadline]);
  const env = { ...commandEnvironment(environment), ...ownLibraries(work.git.libraryPath) };
  const git = { path: work.git.path, env, signal };
  const input = readInput();
  const answer = await land({ work, environment, input, git, cwd: process.cwd() }, signal);
  await new Promise<void>((resolve) =>
    process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve()),
  );
}

type Order = {
  work: LaneWork;
  environment: Environment;
  input: ToolInput;
  git: Git;
  cwd: string;
};

async function land(order: Order, signal: AbortSignal) {
  const { work, environment, input, git, cwd } = order;
  const { name, method, gates } = work.lane;
  const result = resultCommit(input);
  const tip = work.tip === "" ? startOf(input) : work.tip;
  if (await isAncestor(order, result, tip))
    return landed(order, tip, `The lane ${name} has ${result.slice(0, 12)} already`);
  const merged = await mergeTrees(git, cwd, { ours: tip, theirs: result });
  if (merged.outcome === "conflict") {
    const sides = await sidesOf(git, cwd, { tip, result, files: merged.files });
    // The producer goes on at the tip.
    await checkOut(order, tip);
    return sentBack({
      reason: `The commit ${result} conflicts with the tip of the lane ${name}, ${tip}. The working copy is at this tip: make the change again on it (\`git merge ${result}\` begins with it).`,
      files: sides,
    });
  }
  const { tree } = merged;
  const parents = method === "squash" ? [tip] : [tip, result];
  const message = mergeMessage(input, name);
  const commit = await commitTree(git, cwd, { tree, parents, message });
  await checkOut(order, commit);
  const red = await runGates(gates, { cwd, env: commandEnvironment(environment), signal });
  if (red !== undefined)
    return sentBack({
      reason: `The gate ${red.gate} fails on the merge of ${result} with the tip of the lane ${name}, ${tip}. The working copy is at this merge, ${commit}: go on from there.`,
      ...red,
    });
  await verify(order, { commit, tree, parents });
  return landed(order, commit, landedSummary(input, name));
}

function landedSummary(input: ToolInput, lane: string): string {
  const by = reverterOf(input, lane);
  if (by === undefined) return `Merged ${resultCommit(input).slice(0, 12)} onto the lane ${lane}`;
  const name = visible(by.replace(/ <[^<>]*>$/, ""));
  return `Took the goal back from the lane ${lane}, as ${name} asked`;
}

/** The person who takes the goal back with this commit. */
function reverterOf({ target_artefact: target }: ToolInput, lane: string): string | undefined {
  const { by } = target.metadata;
  return revertedLaneOf(target) === lane ? String(by ?? "") : undefined;
}

function resultCommit({ target_artefact }: ToolInput): CommitHash {
  const { metadata, payload, type } = target_artefact;
  const commit = CommitHash.safeParse(metadata.commit ?? payload.trim());
  // The commit of a goal is where work begins: it would land, and nothing be done.
  if (commit.success && type !== goalType) return commit.data;
  throw new SettError("usage", "The target is no result with a commit that could be merged.", {
    hint: "Let the lane bid on artefacts with a commit: `{ on: CodeCommit, bid: exclusive }`.",
  });
}

/** The lane begins where the first goal that lands has begun. */
function startOf({ context_chain, target_artefact }: ToolInput): CommitHash {
  const goal = [...context_chain, target_artefact].find(({ type }) => type === goalType);
  const commit = CommitHash.safeParse(goal?.metadata.commit);
  if (commit.success) return commit.data;
  throw new SettError("usage", "The goal has no commit at which the lane could begin.", {
    hint: "Post the goal in a git repository.",
  });
}

async function isAncestor({ git, cwd }: Order, one: CommitHash, of: CommitHash): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", one, of];
  const { exitCode } = await tryGit(git, { args, cwd });
  if (exitCode === 0 || exitCode === 1) return exitCode === 0;
  await runGit(git, { args, cwd });
  return true;
}

async function checkOut({ git, cwd }: Order, commit: CommitHash): Promise<void> {
  await runGit(git, { args: ["checkout", "--quiet", "--force", "--detach", commit], cwd });
}

/** A gate runs in the same working copy, and must not change what is landed. */
async function verify(
  { git, cwd }: Order,
  { commit, tree, parents }: { commit: CommitHash; tree: string; parents: readonly CommitHash[] },
): Promise<void> {
  const args = ["show", "--no-patch", "--format=%T %P", commit];
  const found = (await runGit(git, { args, cwd })).trim();
  const expected = [tree, ...parents].join(" ");
  if (found !== expected)
    throw new SettError("git-failed", `The merge ${commit} is not the one that was made.`, {
      hint: "A gate has replaced objects of the working copy: have it leave `.git` alone.",
    });
}

function landed({ work, input }: Order, commit: CommitHash, summary: string) {
  const { name: lane } = work.lane;
  const reverter = reverterOf(input, lane);
  return {
    structural_type: "Terminal",
    artefact_type: landedType,
    artefact_payload: commit,
    summary,
    metadata: {
      ...{ lane, onto: work.tip, merged: resultCommit(input) },
      ...(reverter !== undefined && { reverted_by: reverter }),
    },
  };
}

function sentBack(feedback: Record<string, unknown>) {
  return { structural_type: "Review", payload: feedback, summary: String(feedback.reason) };
}
