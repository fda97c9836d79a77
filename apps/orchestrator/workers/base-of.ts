// Finds the commit at which the work of a queued grant will begin, as its cub will find it
// (docs/internals/git.md#in): what is prepared for it depends on that commit.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { baseCommit, commitsOnRecord } from "../../../lib/core/base-commit.ts";
import { resultsOfEarlierPhases } from "../../../lib/core/result-artefact.ts";
import type { ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";
import type { PrepareBase } from "../../../lib/model/prepare.ts";

type Board = Pick<LeaderBlackboard, "readArtefact" | "readContext" | "readHeads">;

/** Undefined where there is none, or the work cannot be read: its worker says what is wrong. */
export async function baseOf(
  board: Board,
  { claim, grants }: ClaimSnapshot,
  grant: Extract<Grant, { state: "queued" }>,
): Promise<PrepareBase | undefined> {
  const target = await board.readArtefact(claim.artefact_id);
  if (target === undefined) return undefined;
  const earlier = resultsOfEarlierPhases(grants, grant.phase);
  const more = new Set([...earlier, ...claim.additional_context_ids, ...(grant.dialogue ?? [])]);
  const context = await board.readContext(target, [...more]).catch((error: unknown) => {
    if (error instanceof SettError && error.code === "context-too-large") return undefined;
    throw error;
  });
  if (context === undefined) return undefined;
  const known = [...context.chain, ...context.additional];
  const goal = async () => (await board.readHeads([ArtefactId.parse(claim.goal_id)]))[0]?.head;
  const commit = grant.base_commit ?? baseCommit(target, known) ?? (await goal())?.metadata.commit;
  if (commit === undefined) return undefined;
  const recorded = commitsOnRecord(target, known).find((each) => each.commit === commit);
  return { commit, agent: recorded?.agent ?? "" };
}
