// The commits at which the work on an artefact may have begun.
import { type ArtefactHead, goalType } from "../../model/artefact.ts";
import type { ArtefactId, CommitHash } from "../../model/ids.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** As far as the context of an agent reaches back. */
const levels = 10;
const maxSources = 1_000;

/**
 * The newest first, and the goal's own commit last: in this order the cub chooses the commit of a working copy. A Question's commit is part
 * of the same work. Git decides which of them is an ancestor of the result.
 */
export async function startsOfWork(board: Pick<ReadingBoard, "readHeads">, artefact: ArtefactHead): Promise<CommitHash[]> {
  const known = new Map<ArtefactId, ArtefactHead>();
  let next: readonly ArtefactId[] = artefact.source_artefacts;
  for (let level = 0; level < levels && next.length > 0 && known.size < maxSources; level += 1) {
    const heads = (await board.readHeads(next)).map(({ head }) => head);
    for (const head of heads) known.set(head.id, head);
    next = [...new Set(heads.flatMap((head) => head.source_artefacts))].filter((id) => !known.has(id) && id !== artefact.id);
  }
  const named = [...known.values()].filter(({ structural_type }) => structural_type !== "Question");
  named.sort((a, b) => rank(a) - rank(b) || Date.parse(b.created_at) - Date.parse(a.created_at));
  return [...new Set(named.flatMap(({ metadata }) => metadata.commit ?? []))];
}

function rank({ type }: ArtefactHead): number {
  return type === goalType ? 1 : 0;
}
