// Finds the artefacts that a target came from, which an agent reads beside it
// (docs/internals/blackboard.md#context-chain). lua/read-context.lua finds them in Redis; the walk
// here finds them where they are read piece by piece, and both use one order.
import type { Artefact } from "../../model/artefact.ts";
import type { ArtefactId, LogicalId } from "../../model/ids.ts";

/** How many steps away from the target a source may be. */
export const contextDepth = 10;

/** The latest version of a thread, and how far from the target the thread was met first. */
export type ContextEntry<Node = Artefact> = { artefact: Node; depth: number };

/**
 * The fields of an artefact that the walk reads. A person may have damaged it: it is parsed once it
 * is chosen.
 */
type ContextNode = Pick<Artefact, "id" | "logical_id" | "source_artefacts" | "goal_id">;

/** The reads of the walk; undefined for what does not exist. */
type ContextSource<Node> = {
  read(id: ArtefactId): Node | undefined;
  latestOf(thread: LogicalId): ArtefactId | undefined;
};

/**
 * Breadth first, one entry for each thread. A cited version and its latest one are both followed: a
 * rework cites only the version it replaces, and the context must not lose the goal. What another
 * goal has made is taken as it was cited, because that goal may go on. The target itself is left
 * out, because the tool has it already.
 */
export function walkContext<Node extends ContextNode>(
  target: ContextNode,
  additionalIds: readonly ArtefactId[],
  source: ContextSource<Node>,
): ContextEntry<Node>[] {
  const seen = new Set([target.id]);
  const entries = new Map<LogicalId, ContextEntry<Node>>();
  let wanted = unseen([...target.source_artefacts, ...additionalIds], seen);
  for (let depth = 1; depth <= contextDepth && wanted.length > 0; depth++) {
    for (const id of wanted) seen.add(id);
    const next: ArtefactId[] = [];
    for (const id of wanted) {
      const cited = source.read(id);
      if (cited === undefined) continue;
      const isOwn = cited.goal_id === target.goal_id;
      const latestId = isOwn ? source.latestOf(cited.logical_id) : undefined;
      const latest = (latestId === undefined ? undefined : source.read(latestId)) ?? cited;
      seen.add(latest.id);
      if (latest.id !== target.id && !entries.has(latest.logical_id))
        entries.set(latest.logical_id, { artefact: latest, depth });
      next.push(...latest.source_artefacts, ...cited.source_artefacts);
    }
    wanted = unseen(next, seen);
  }
  return [...entries.values()];
}

/**
 * Sorts oldest first, but a source always before what was made of it: clocks of several machines
 * gave the times, and entries of one millisecond share one. Among entries of one time the farther
 * from the target is first, then the smaller id.
 */
export function oldestFirst(entries: readonly ContextEntry[]): Artefact[] {
  const byAge = entries
    .map((entry) => ({ ...entry, at: Date.parse(entry.artefact.created_at) }))
    .sort((a, b) => a.at - b.at || b.depth - a.depth || (a.artefact.id < b.artefact.id ? -1 : 1))
    .map(({ artefact }) => artefact);
  const ranks = new Map(byAge.map(({ id }, rank) => [id, rank]));
  const ordered: Artefact[] = [];
  const place = (rank: number) => {
    const artefact = byAge[rank];
    // Removed before its sources are placed, so that a circle ends. Only artefacts written by hand
    // can form one.
    if (artefact === undefined || !ranks.delete(artefact.id)) return;
    const sources = artefact.source_artefacts.flatMap((id) => ranks.get(id) ?? []);
    for (const source of sources.sort((a, b) => a - b)) place(source);
    ordered.push(artefact);
  };
  for (const rank of byAge.keys()) place(rank);
  return ordered;
}

function unseen(ids: readonly ArtefactId[], seen: ReadonlySet<ArtefactId>): ArtefactId[] {
  return [...new Set(ids)].filter((id) => !seen.has(id));
}
