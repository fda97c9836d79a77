// Keeps heads of artefacts in memory: artefacts never change, and lists show the same ones again and again.
import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { StoredHead } from "../../../lib/blackboard/artefact-port.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/holders.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";

/** At most twice as many are kept: some 30 MB. */
const minEntries = 10_000;
/** Longer ones are read again: metadata may have a megabyte. */
const maxLength = 3_000;

/** The same blackboard, which reads each head once. What was changed by hand, or pruned, is forgotten with the connection or its turn. */
export function withKnownHeads(board: PersonBlackboard): PersonBlackboard {
  const known = new RecentMap<ArtefactId, StoredHead>(minEntries);
  board.onReconnect(() => known.clear());
  return {
    ...board,
    async readHeads(ids) {
      const unknown = ids.filter((id) => known.get(id) === undefined);
      const read = new Map<ArtefactId, StoredHead>();
      if (unknown.length > 0) {
        for (const stored of await board.readHeads(unknown)) {
          read.set(stored.head.id, stored);
          if (lengthOf(stored) <= maxLength) known.set(stored.head.id, stored);
        }
      }
      return ids.flatMap((id) => read.get(id) ?? known.get(id) ?? []);
    },
  };
}

/** About how many characters it holds. */
function lengthOf({ head, beginning }: StoredHead): number {
  return beginning.length + head.source_artefacts.length * 40 + JSON.stringify(head.metadata).length;
}
