// A blackboard that notes which claims are read.
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";

export function readsOf(board: Blackboard): { board: Blackboard; read: Set<ClaimId> } {
  const read = new Set<ClaimId>();
  const counted: Blackboard = {
    ...board,
    readClaim: (id) => {
      read.add(id);
      return board.readClaim(id);
    },
    readClaims: (ids, onMalformed) => {
      for (const id of ids) read.add(id);
      return board.readClaims(ids, onMalformed);
    },
  };
  return { board: counted, read };
}
