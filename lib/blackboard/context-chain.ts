// What an agent gets to read beside its target: the artefacts that the target came from (DESIGN §6, "Context chain").
// lua/read-context.lua finds them in Redis; the walk here does it for the twin in memory, and both put them in one order.
import type { Artefact } from "../model/artefact.ts";
import type { ArtefactId, LogicalId } from "../model/ids.ts";

/** How many steps away from the target a source may be. */
export const contextDepth = 10;

/** The latest version of a thread, and how far from the target the thread was met first. */
export type ContextEntry = { artefact: Artefact; depth: number };

/** What the walk looks at; what does not exist is simply missing. */
export type ContextSource = {
  read(id: ArtefactId): Artefact | undefined;
  latestOf(thread: LogicalId): ArtefactId | undefined;
};

/**
 * Breadth first, one entry for each thread. A cited version and its latest one are both followed: a rework cites only the version it
 * replaces, and the goal must stay in sight. The target itself is given to the tool already, and is left out.
 */
export function walkContext(target: Artefact, additionalIds: readonly ArtefactId[], source: ContextSource): ContextEntry[] {
  const seen = new Set([target.id]);
  const entries = new Map<LogicalId, ContextEntry>();
  let wanted = notSeen([...target.source_artefacts, ...additionalIds], seen);
  for (let depth = 1; depth <= contextDepth && wanted.length > 0; depth++) {
    for (const id of wanted) seen.add(id);
    const next: ArtefactId[] = [];
    for (const id of wanted) {
      const cited = source.read(id);
      if (cited === undefined) continue;
      const latestId = source.latestOf(cited.logical_id);
      const latest = (latestId === undefined ? undefined : source.read(latestId)) ?? cited;
      seen.add(latest.id);
      if (latest.id !== target.id && !entries.has(latest.logical_id)) entries.set(latest.logical_id, { artefact: latest, depth });
      next.push(...latest.source_artefacts, ...cited.source_artefacts);
    }
    wanted = notSeen(next, seen);
  }
  return [...entries.values()];
}

/** Oldest first. Those of the same millisecond: the farther from the target first, as it came before, then by id. */
export function oldestFirst(entries: readonly ContextEntry[]): Artefact[] {
  return entries
    .map((entry) => ({ ...entry, at: Date.parse(entry.artefact.created_at) }))
    .sort((a, b) => a.at - b.at || b.depth - a.depth || (a.artefact.id < b.artefact.id ? -1 : 1))
    .map(({ artefact }) => artefact);
}

function notSeen(ids: readonly ArtefactId[], seen: ReadonlySet<ArtefactId>): ArtefactId[] {
  return [...new Set(ids)].filter((id) => !seen.has(id));
}
