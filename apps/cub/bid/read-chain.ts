// A model that decides a bid reads these of the artefact's chain: the goal, and what the artefact
// was made from.
import type { StoredHead } from "../../../lib/blackboard/port/artefacts.ts";
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";

/** A short form of an artefact. `text`: its summary, or the beginning of its payload. */
export type ShortForm = { type: string; made_by: string; text: string };

/** The limit counts what is read beside the goal. */
const maxArtefacts = 12;

/**
 * Oldest first: the goal, then the nearest artefacts of the chain. Neither ids nor times, so that
 * the same question reads the same.
 */
export async function readChain(
  board: Pick<AgentBlackboard, "readHeads" | "readArtefact">,
  target: Artefact,
): Promise<ShortForm[]> {
  const goalId = ArtefactId.parse(target.goal_id);
  if (target.id === goalId) return [];
  const [goal, sources] = await Promise.all([
    board.readArtefact(goalId),
    readSources(board, target, goalId),
  ]);
  const shortGoal =
    goal === undefined
      ? []
      : [{ type: goal.type, made_by: goal.produced_by_role, text: goal.payload }];
  return [...shortGoal, ...sources.map(shortForm)];
}

/** Returns as many as fit, from the nearest on. */
async function readSources(
  board: Pick<AgentBlackboard, "readHeads">,
  target: Artefact,
  goal: ArtefactId,
): Promise<StoredHead[]> {
  const found = new Map<ArtefactId, StoredHead>();
  const seen = new Set<ArtefactId>([target.id, goal]);
  for (
    let next = fresh(target.source_artefacts, seen);
    next.length > 0 && found.size < maxArtefacts;
  ) {
    const heads = await board.readHeads(next.slice(0, maxArtefacts - found.size));
    for (const stored of heads) found.set(stored.head.id, stored);
    next = fresh(
      heads.flatMap(({ head }) => head.source_artefacts),
      seen,
    );
  }
  return [...found.values()].reverse();
}

/** Returns those that were not seen before; from now on they are. */
function fresh(ids: readonly ArtefactId[], seen: Set<ArtefactId>): ArtefactId[] {
  return ids.filter((id) => !seen.has(id) && seen.add(id));
}

function shortForm({ head, beginning }: StoredHead): ShortForm {
  return {
    type: head.type,
    made_by: head.produced_by_role,
    text: head.metadata.summary ?? beginning,
  };
}
