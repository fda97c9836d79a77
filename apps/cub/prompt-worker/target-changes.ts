// What the target's commit changes, as a diff: a reviewer needs it first, and the image may have no git.

import { tryGit } from "../../../lib/git/run-git.ts";
import { goalType } from "../../../lib/model/artefact.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { commitOf } from "./commit-names.ts";
import { cutMiddle } from "./cut-middle.ts";
import type { Workspace } from "./workspace.ts";

const maxLength = 60_000;
const limits = { timeMs: 20_000, stdoutBytes: 8 * 1024 * 1024 };

/**
 * From the newest other commit among the inputs, else from the commit's parent. Undefined where the target has no commit that is here. The
 * commit of a goal is the one that it was posted on: what that one has changed is not what the goal is about.
 */
export async function targetChanges({ root, git, head }: Workspace, input: ToolInput): Promise<string | undefined> {
  const commit = commitOf(input.target_artefact);
  if (commit === undefined || head === undefined || input.target_artefact.type === goalType) return undefined;
  const earlier = input.context_chain.flatMap((one) => commitOf(one) ?? []).findLast((one) => one !== commit);
  const range = earlier === undefined ? [`${commit}^`, commit] : [`${earlier}...${commit}`];
  const args = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--stat=100", "--patch", ...range, "--"];
  const { exitCode, stdout, limit } = await tryGit({ ...git, limits }, { args, cwd: root });
  return (exitCode === 0 || limit !== undefined) && stdout !== "" ? cutMiddle(stdout, maxLength) : undefined;
}
