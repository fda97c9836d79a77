// Says from which lanes a goal is taken back: what it had landed there is there no more.
import type { ArtefactHead } from "../model/artefact.ts";
import type { ArtefactId } from "../model/ids.ts";
import { type LaneName, laneMoveOf } from "../model/lane.ts";

/**
 * `by`: the person, as the record has the name, perhaps with an address. `artefact`: with which the
 * lane has moved, `at` that time.
 */
export type GoalRevert = { lane: LaneName; by: string; artefact: ArtefactId; at: string };

/** `artefacts`: the oldest first. What has landed after a revert is there. */
export function goalReverts(
  artefacts: readonly Pick<ArtefactHead, "id" | "type" | "metadata" | "created_at">[],
): GoalRevert[] {
  const last = new Map<LaneName, GoalRevert | undefined>();
  for (const { id, type, metadata, created_at: at } of artefacts) {
    const move = laneMoveOf({ type, metadata });
    // A commit that the lane had already has landed without a move.
    if (move === undefined || move.onto === move.commit) continue;
    const { lane, reverted_by: by } = move;
    last.set(lane, by === undefined ? undefined : { lane, by, artefact: id, at });
  }
  return [...last.values()].filter((one) => one !== undefined);
}
