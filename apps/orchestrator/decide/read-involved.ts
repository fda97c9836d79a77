// Reads which people had a part in the work that is to be approved.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import {
  answersFor,
  approvalsBefore,
  involvedIn,
  maxOrigins,
  type Origin,
} from "../../../lib/core/involved.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { ArtefactId, ClaimId, GoalId } from "../../../lib/model/ids.ts";
import type { Involved } from "../../../lib/model/quorum.ts";

export type InvolvedBoard = Pick<LeaderBlackboard, "readHeads" | "readClaim" | "readGoal">;

/** Rejects with `artefact-malformed` where a person has broken one of the records. */
export async function readInvolved(board: InvolvedBoard, target: ArtefactId): Promise<Involved> {
  const origins: Origin[] = [];
  let goal: GoalId | undefined;
  for (let id: ArtefactId | undefined = target; id !== undefined; ) {
    const [found] = await board.readHeads([id]);
    if (found === undefined || origins.length === maxOrigins) break;
    const { head } = found;
    const claim =
      head.claim_id === "" ? undefined : await board.readClaim(head.claim_id as ClaimId);
    goal = head.goal_id;
    origins.push({
      ...{ id, version: head.version, grants: claim?.grants ?? [] },
      postedBy: isPosted(head) ? personOf(head) : undefined,
    });
    id = claim?.claim.artefact_id;
  }
  const acts = [
    ...new Set(origins.flatMap((one) => [...answersFor(one), ...approvalsBefore(one)])),
  ];
  const heads = new Map<ArtefactId, ArtefactHead>();
  for (const { head } of await board.readHeads(acts)) heads.set(head.id, head);
  const payer = goal === undefined ? undefined : (await board.readGoal(goal)).payer;
  const poster = payer?.startsWith("person:") ? payer.slice("person:".length) : undefined;
  return involvedIn(poster, origins, (id) => {
    const head = heads.get(id);
    return head && personOf(head);
  });
}

function isPosted({ id, goal_id, claim_id, produced_by_agent }: ArtefactHead): boolean {
  return String(id) !== goal_id && claim_id === "" && produced_by_agent === "";
}

function personOf({ metadata: { by } }: ArtefactHead): string | undefined {
  return typeof by === "string" ? by : undefined;
}
