// What an agent gets to read beside its target: the artefacts that the target came from, breadth first (DESIGN §6, "Context chain").
// Pure: the caller fetches what `wanted` names, level by level, and hands it in.
import type { Artefact } from "../model/artefact.ts";
import type { ArtefactId, LogicalId } from "../model/ids.ts";

/** How many steps away from the target a source may be. */
export const contextDepth = 10;

export type ContextChain = {
  /** The ids to fetch next; empty when the chain is complete. */
  readonly wanted: readonly ArtefactId[];
  readonly depth: number;
  readonly seen: ReadonlySet<ArtefactId>;
  readonly target: ArtefactId;
  /** One per thread: its latest version, and how far from the target it was met first. */
  readonly entries: ReadonlyMap<LogicalId, { artefact: Artefact; depth: number }>;
};

/** Begins with the target's sources and whatever else must be in the chain. */
export function startContextChain(target: Artefact, additionalIds: readonly ArtefactId[]): ContextChain {
  const seen = new Set([target.id]);
  return {
    wanted: notSeen([...target.source_artefacts, ...additionalIds], seen),
    depth: 1,
    seen,
    target: target.id,
    entries: new Map(),
  };
}

/**
 * One level further. `found`: the artefacts that `wanted` named, each with the latest version of its thread (often itself); what does
 * not exist is simply missing. A cited version and its latest one are both followed: a rework cites only the version it replaces, and
 * the goal must stay in sight.
 */
export function growContextChain(chain: ContextChain, found: readonly { cited: Artefact; latest: Artefact }[]): ContextChain {
  const seen = new Set([...chain.seen, ...chain.wanted]);
  const entries = new Map(chain.entries);
  const next: ArtefactId[] = [];
  for (const { cited, latest } of found) {
    seen.add(latest.id);
    // The target itself is given to the tool already.
    if (latest.id !== chain.target && !entries.has(latest.logical_id)) {
      entries.set(latest.logical_id, { artefact: latest, depth: chain.depth });
    }
    next.push(...latest.source_artefacts, ...cited.source_artefacts);
  }
  const wanted = chain.depth >= contextDepth ? [] : notSeen(next, seen);
  return { ...chain, wanted, depth: chain.depth + 1, seen, entries };
}

/** Oldest first. Those of the same millisecond: the farther from the target first, as it came before, then by id. */
export function sortedContext(chain: ContextChain): Artefact[] {
  return [...chain.entries.values()]
    .map((entry) => ({ ...entry, at: Date.parse(entry.artefact.created_at) }))
    .sort((a, b) => a.at - b.at || b.depth - a.depth || (a.artefact.id < b.artefact.id ? -1 : 1))
    .map(({ artefact }) => artefact);
}

function notSeen(ids: readonly ArtefactId[], seen: ReadonlySet<ArtefactId>): ArtefactId[] {
  return [...new Set(ids)].filter((id) => !seen.has(id));
}
