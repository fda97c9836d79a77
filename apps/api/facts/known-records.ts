// Keeps records that never change in memory: heads of artefacts, and claims that have ended. Lists
// show the same ones again and again.
import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { StoredHead } from "../../../lib/blackboard/port/artefacts.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { type ClaimSnapshot, isEnded } from "../../../lib/model/claim.ts";
import type { ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import type { EventHub } from "../events/hub.ts";

/** At most twice as many are kept: some 40 MB where all are in use. */
const minHeads = 10_000;
const minClaims = 5_000;
/**
 * To compare an artefact with its digest means to read its payload: lists that are shown again and
 * again do so no more often.
 */
const comparedForMs = 30_000;
/** Longer ones are read again: metadata may have a megabyte. */
const maxLength = 3_000;

/**
 * Returns the same blackboard, which reads each of them once. What was erased is forgotten with its
 * event, and a record that a person has changed or pruned with its turn or the connection.
 */
export function withKnownRecords(
  board: PersonBlackboard,
  hub: Pick<EventHub, "listen">,
): PersonBlackboard {
  const heads = new RecentMap<ArtefactId, StoredHead>(minHeads);
  const claims = new RecentMap<ClaimId, ClaimSnapshot>(minClaims);
  const compared = new RecentMap<ArtefactId, { atMs: number; isOverwritten: boolean }>(minHeads);
  hub.listen((events) => {
    for (const { type, artefact_id: id } of events)
      if (type === "artefact_erased" && id !== undefined) {
        heads.delete(id);
        compared.delete(id);
      }
  });
  board.onReconnect(() => {
    heads.clear();
    compared.clear();
    claims.clear();
  });
  return {
    ...board,

    async readHeads(ids) {
      const unknown = ids.filter((id) => heads.get(id) === undefined);
      const read = new Map<ArtefactId, StoredHead>();
      if (unknown.length > 0) {
        for (const stored of await board.readHeads(unknown)) {
          read.set(stored.head.id, stored);
          if (lengthOf(stored) <= maxLength) heads.set(stored.head.id, stored);
        }
      }
      return ids.flatMap((id) => read.get(id) ?? heads.get(id) ?? []);
    },

    async findOverwritten(ids, limits) {
      // An answer that leaves large ones out is not one about them.
      if (limits !== undefined) return await board.findOverwritten(ids, limits);
      const now = performance.now();
      const due = ids.filter(
        (id) => now - (compared.get(id)?.atMs ?? Number.NEGATIVE_INFINITY) >= comparedForMs,
      );
      if (due.length > 0) {
        const overwritten = new Set(await board.findOverwritten(due));
        for (const id of due) compared.set(id, { atMs: now, isOverwritten: overwritten.has(id) });
      }
      return ids.filter((id) => compared.get(id)?.isOverwritten);
    },

    async readClaims(ids, onMalformed) {
      const unknown = ids.filter((id) => claims.get(id) === undefined);
      const read = new Map<ClaimId, ClaimSnapshot>();
      if (unknown.length > 0) {
        for (const snapshot of await board.readClaims(unknown, onMalformed)) {
          const { id, status } = snapshot.claim;
          read.set(id, snapshot);
          if (isEnded(status)) claims.set(id, snapshot);
        }
      }
      return ids.flatMap((id) => read.get(id) ?? claims.get(id) ?? []);
    },
  };
}

/** About how many characters it holds. */
function lengthOf({ head, beginning }: StoredHead): number {
  return (
    beginning.length + head.source_artefacts.length * 40 + JSON.stringify(head.metadata).length
  );
}
