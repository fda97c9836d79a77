// Shows what the target's commit changes, as a diff: a reviewer needs it first, and the image may
// have no git.
import { mergeBases } from "../../../lib/git/run/merge-bases.ts";
import { PlainView } from "../../../lib/git/run/plain-view.ts";
import { goalType } from "../../../lib/model/artefact.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { commitOf } from "./commit-names.ts";
import { cutMiddle } from "./cut-middle.ts";
import { gitIn, type Workspace } from "./workspace.ts";

const maxLength = 60_000;
const maxListLength = 6_000;
const limits = { timeMs: 20_000, stdoutBytes: 8 * 1024 * 1024 };

/**
 * The diff begins at the newest other commit among the inputs, else at the commit's parent; where
 * work of others comes between, the files that are changed since the commit of the goal come first.
 * Undefined where the target has no commit that is here. The commit of a goal is the one that it
 * was posted on: what that one has changed is not what the goal is about.
 */
export async function targetChanges(
  workspace: Workspace,
  input: ToolInput,
): Promise<string | undefined> {
  const { target_artefact: target, context_chain: chain } = input;
  const commit = commitOf(target);
  if (commit === undefined || workspace.head === undefined || target.type === goalType)
    return undefined;
  const earlier = chain.flatMap((one) => commitOf(one) ?? []).findLast((one) => one !== commit);
  const goal = chain.find((one) => String(one.id) === String(target.goal_id))?.metadata.commit;
  await using view = await viewOf(workspace, commit);
  const whole =
    goal === undefined || goal === earlier ? "" : await diff(view, ["--stat"], [goal, commit]);
  const range = [await startOf(view, commit, earlier), commit];
  const lines = await diff(view, ["--stat", "--patch"], range);
  if (lines === "") return undefined;
  const before =
    whole === "" ? "" : `${cutMiddle(sinceGoal + whole, maxListLength)}\n${sinceOthers}`;
  return before + cutMiddle(lines, maxLength);
}

const sinceGoal =
  "All files that are changed since the goal's commit, by this and by earlier work:\n";
const sinceOthers = "Only what this work has changed:\n";

/**
 * The earlier commit itself where the two have nothing, or several commits, in common: what was
 * dropped is then shown, too.
 */
async function startOf(
  view: PlainView,
  commit: CommitHash,
  earlier: CommitHash | undefined,
): Promise<string> {
  if (earlier === undefined) return `${commit}^`;
  const bases = await mergeBases(view, earlier, commit);
  return bases.length === 1 ? String(bases[0]) : earlier;
}

/**
 * The files that the agent works on have attributes that it, or another agent, may have written:
 * none may hide a line.
 */
async function viewOf(workspace: Workspace, commit: CommitHash): Promise<PlainView> {
  const args = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--git-path", "objects"];
  const [commonDir = "", objectsDir = ""] = (await gitIn(workspace, args)).split("\n");
  const objectFormat = commit.length === 40 ? "sha1" : "sha256";
  return await PlainView.make(
    { ...workspace.git, limits },
    { commonDir, objectsDir, objectFormat },
  );
}

/** Empty where git cannot show it. */
async function diff(
  view: PlainView,
  options: readonly string[],
  commits: readonly string[],
): Promise<string> {
  const { exitCode, stdout, limit } = await view.diff(["--no-color", ...options], commits);
  return exitCode === 0 || limit !== undefined ? stdout : "";
}
