// The artefacts of one goal with their claims, kept up to date: the whole graph is read once, then
// each event reads again what it names.
import { getJson } from "./api.ts";
import type {
  ArtefactDetail,
  ClaimView,
  GraphClaim,
  GraphView,
  NodeView,
  SettEvent,
} from "./contract.ts";
import { stream } from "./stream.ts";

export type ArtefactNode = Extract<NodeView, { kind: "artefact" }>;
/** `nodes`: oldest first. A new value is a new object, so that React sees the change. */
export type GoalGraph = {
  nodes: ArtefactNode[];
  outside: Exclude<NodeView, ArtefactNode>[];
  byId: Map<string, ArtefactNode>;
};

/** Where there are more than these to read, one reading of the whole is cheaper. */
const maxPieces = 60;
/** A large graph takes a part of a frame to lay out: it is not done for each event. */
const manyNodes = 2_000;
const pauseOfMany = 300;
const retryMs = 3_000;

/**
 * Calls `changed` with each new state; returns a function that ends it. Errors of the first reading
 * reject.
 */
export function followGraph(
  goal: string,
  changed: (graph: GoalGraph) => void,
  failed: (error: unknown) => void,
): () => void {
  const over = new AbortController();
  let graph: GoalGraph | undefined;
  let isUnderWay = false;
  let isWholeWanted = true;
  const claims = new Set<string>();
  const artefacts = new Set<string>();

  const work = async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      while (!over.signal.aborted && (isWholeWanted || claims.size + artefacts.size > 0)) {
        if (isWholeWanted || graph === undefined || claims.size + artefacts.size > maxPieces) {
          isWholeWanted = false;
          claims.clear();
          artefacts.clear();
          graph = graphOf(
            await getJson<GraphView>(`/v1/goals/${goal}/graph`, { format: "json" }, over.signal),
          );
        } else {
          const wanted = { artefacts: [...artefacts], claims: [...claims] };
          claims.clear();
          artefacts.clear();
          graph = await readPieces(graph, wanted, over.signal);
        }
        if (!over.signal.aborted) changed(graph);
        if (graph.nodes.length > manyNodes) await sleep(pauseOfMany, over.signal);
      }
    } catch (error) {
      if (over.signal.aborted) return;
      failed(error);
      isWholeWanted = true;
      await sleep(retryMs, over.signal);
    } finally {
      isUnderWay = false;
    }
    if (isWholeWanted && !over.signal.aborted) void work();
  };
  const unlisten = stream.listen((events) => {
    for (const event of events) {
      if (event.goal_id !== goal) continue;
      note(event, { claims, artefacts });
    }
    if (claims.size + artefacts.size > 0) void work();
  });
  const unopen = stream.onOpen(() => {
    isWholeWanted = true;
    void work();
  });
  void work();
  return () => {
    over.abort();
    unlisten();
    unopen();
  };
}

/** The goal's own artefact does not name its maker, whom `poster` names: a person, or a trigger. */
export function withPoster(
  { nodes, outside, byId }: GoalGraph,
  goal: string,
  poster: string,
): GoalGraph {
  const node = byId.get(goal);
  if (node === undefined) return { nodes, outside, byId };
  const named = { ...node, metadata: { ...node.metadata, by: poster } };
  return {
    nodes: nodes.map((one) => (one === node ? named : one)),
    outside,
    byId: new Map(byId).set(goal, named),
  };
}

function note(
  { type, artefact_id, claim_id }: SettEvent,
  wanted: { claims: Set<string>; artefacts: Set<string> },
): void {
  const isOfArtefact = type === "artefact_created" || type === "artefact_erased";
  if (isOfArtefact && artefact_id !== undefined) wanted.artefacts.add(artefact_id);
  else if (claim_id !== undefined && type !== "model_called" && type !== "tool_called")
    wanted.claims.add(claim_id);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function graphOf({ nodes: all }: GraphView): GoalGraph {
  const nodes = all.filter((node) => node.kind === "artefact");
  return {
    nodes,
    outside: all.filter((node) => node.kind !== "artefact"),
    byId: new Map(nodes.map((node) => [node.id, node])),
  };
}

async function readPieces(
  { nodes, outside, byId }: GoalGraph,
  wanted: { artefacts: string[]; claims: string[] },
  signal: AbortSignal,
): Promise<GoalGraph> {
  const [heads, views] = await Promise.all([
    Promise.all(
      wanted.artefacts.map((id) => getJson<ArtefactDetail>(`/v1/artefacts/${id}`, {}, signal)),
    ),
    Promise.all(wanted.claims.map((id) => getJson<ClaimView>(`/v1/claims/${id}`, {}, signal))),
  ]);
  const changed = new Map<string, ArtefactNode>();
  for (const head of heads) changed.set(head.id, nodeOf(head));
  for (const view of views) {
    const about = changed.get(view.artefact_id) ?? byId.get(view.artefact_id);
    if (about !== undefined)
      changed.set(about.id, { ...about, claims: withClaim(about.claims, view) });
  }
  const isNew = [...changed.values()].filter(({ id }) => !byId.has(id));
  const all = [...nodes.map((node) => changed.get(node.id) ?? node), ...isNew];
  return { nodes: all, outside, byId: new Map(all.map((node) => [node.id, node])) };
}

function nodeOf({
  payload_begins: _,
  payload_bytes: _bytes,
  made_by: _by,
  claims,
  ...head
}: ArtefactDetail): ArtefactNode {
  return { kind: "artefact", ...head, claims: claims.map(claimOf) };
}

function withClaim(claims: readonly GraphClaim[], view: ClaimView): GraphClaim[] {
  const claim = claimOf(view);
  return claims.some(({ id }) => id === claim.id)
    ? claims.map((one) => (one.id === claim.id ? claim : one))
    : [...claims, claim];
}

function claimOf({
  id,
  kind,
  status,
  bidding,
  bids,
  created_at,
  termination_reason,
  grants,
  stand_in,
  reviews_after,
}: ClaimView): GraphClaim {
  const words = bids.map(({ agent, word }) => ({ agent, word })) as GraphClaim["bids"];
  return {
    id,
    kind,
    status,
    bidding,
    bids: words,
    created_at,
    termination_reason,
    grants,
    ...(stand_in && { stand_in }),
    ...(reviews_after && { reviews_after }),
  };
}
