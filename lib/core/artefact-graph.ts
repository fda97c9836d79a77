// A goal's artefacts as nodes, and what each was made from as edges: derived from the blackboard,
// and stored nowhere.
import type { ArtefactHead } from "../model/artefact.ts";
import type { Claim, ClaimSnapshot, Grant } from "../model/claim.ts";
import type { ArtefactId, GoalId } from "../model/ids.ts";
import type { Cost } from "./call-costs.ts";

export type ArtefactGraph = { goal: GoalId; nodes: GraphNode[]; edges: GraphEdge[] };

/**
 * `outside`: of another goal, cited by this one. `missing`: cited, but not on the blackboard.
 * `cost`: of the model calls that led to it; `goal_cost`, of the goal's first artefact: of all
 * calls in the goal. Both are missing where there were none.
 */
export type GraphNode =
  | ({ kind: "artefact"; claims: GraphClaim[]; cost?: Cost; goal_cost?: Cost } & ReviewedHead)
  | ({ kind: "outside" } & ReviewedHead)
  | { kind: "missing"; id: ArtefactId };

/** `verdict`: of a Review; other artefacts have none. `overwritten`: it is not what was stored. */
export type ReviewedHead = ArtefactHead & { verdict?: "approval" | "feedback"; overwritten?: true };

export type GraphClaim = Pick<
  Claim,
  | "id"
  | "kind"
  | "status"
  | "bidding"
  | "bids"
  | "reviews_after"
  | "created_at"
  | "termination_reason"
  | "stand_in"
> & {
  grants: Grant[];
};

/**
 * An edge leads from a source to what was made from it: `evolutionary` within a thread,
 * `derivative` from one thread to another.
 */
export type GraphEdge = { from: ArtefactId; to: ArtefactId; kind: "derivative" | "evolutionary" };

export type GraphFacts = {
  goal: GoalId;
  /** All artefacts of the goal, oldest first. */
  artefacts: readonly ReviewedHead[];
  /** The `foreignSources` that exist. */
  outside: readonly ReviewedHead[];
  /** Every claim about one of `artefacts`. */
  claims: readonly ClaimSnapshot[];
  /** The costs of the calls of language models. */
  costs?: { total: Cost; artefacts: ReadonlyMap<ArtefactId, Cost> };
};

/**
 * Nodes: the artefacts, oldest first, then what they cite from elsewhere. The nodes of every edge
 * are in the list, and each once.
 */
export function artefactGraph({
  goal,
  artefacts,
  outside,
  claims,
  costs,
}: GraphFacts): ArtefactGraph {
  const known = new Map([...artefacts, ...outside].map((head) => [head.id, head]));
  return {
    goal,
    nodes: [
      ...artefacts.map((head): GraphNode => {
        const cost = costs?.artefacts.get(head.id);
        const goalCost = String(head.id) === String(goal) ? costs?.total : undefined;
        return {
          kind: "artefact",
          ...head,
          claims: claimsOn(head.id, claims),
          ...(cost && { cost }),
          ...(goalCost && { goal_cost: goalCost }),
        };
      }),
      ...foreignSources(artefacts).map((id): GraphNode => {
        const head = known.get(id);
        return head === undefined ? { kind: "missing", id } : { kind: "outside", ...head };
      }),
    ],
    edges: artefacts.flatMap((head) =>
      originsOf(head, artefacts).map((from): GraphEdge => {
        const isSameThread = known.get(from)?.logical_id === head.logical_id;
        return { from, to: head.id, kind: isSameThread ? "evolutionary" : "derivative" };
      }),
    ),
  };
}

/** The sources that are not among the artefacts themselves, each once. */
export function foreignSources(artefacts: readonly ArtefactHead[]): ArtefactId[] {
  const own = new Set(artefacts.map(({ id }) => id));
  return [...new Set(artefacts.flatMap((head) => head.source_artefacts))].filter(
    (id) => !own.has(id),
  );
}

/**
 * An artefact's sources, and the version before it: a version that was written by hand need not
 * cite the one that it replaces.
 */
function originsOf(
  { version, logical_id, source_artefacts }: ArtefactHead,
  artefacts: readonly ArtefactHead[],
): ArtefactId[] {
  const earlier =
    version === 1
      ? []
      : artefacts.filter((one) => one.logical_id === logical_id && one.version < version);
  const before = earlier.toSorted((a, b) => b.version - a.version).slice(0, 1);
  return [...new Set([...before.map(({ id }) => id), ...source_artefacts])];
}

function claimsOn(artefact: ArtefactId, claims: readonly ClaimSnapshot[]): GraphClaim[] {
  return claims
    .filter(({ claim }) => claim.artefact_id === artefact)
    .map(({ claim, grants }) => {
      const { id, kind, status, bidding, bids, reviews_after } = claim;
      const { created_at, termination_reason, stand_in } = claim;
      return {
        id,
        kind,
        status,
        bidding,
        bids,
        created_at,
        termination_reason,
        ...(reviews_after && { reviews_after }),
        ...(stand_in && { stand_in }),
        grants,
      };
    });
}
