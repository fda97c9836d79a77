// Finds what the open claims of a goal wait for, as things that the graph can draw: bids that are
// missing, and grants that have not ended. Pure.

import type { Grant, GraphClaim } from "../data/contract.ts";
import type { ArtefactNode } from "../data/goal-graph.ts";

/**
 * `since`: ISO 8601. `thread`: where its result will be a new version. `sources`: what it will be
 * made from.
 */
export type Pending = {
  id: string;
  claim: string;
  target: string;
  thread: string;
  sources: string[];
  agent: string;
  what: "works" | "queued" | "answer" | "approval" | "retry";
  phase: string;
  attempt: number;
  since: string;
};

export function pendingOf(nodes: readonly ArtefactNode[]): Pending[] {
  return nodes.flatMap((node) =>
    node.claims
      .filter(isOpen)
      .flatMap((claim) => claim.grants.flatMap((grant) => ofGrant(node, claim, grant))),
  );
}

export function isOpen({ status }: Pick<GraphClaim, "status">): boolean {
  return status !== "complete" && status !== "terminated";
}

function ofGrant(node: ArtefactNode, claim: GraphClaim, grant: Grant): Pending[] {
  const state = stateOf(grant);
  if (state === undefined) return [];
  const earlier = claim.grants.filter(({ phase }) => phase !== grant.phase);
  const made = earlier.flatMap((one) => (one.state === "done" ? one.artefact_ids : []));
  const isVersion = claim.kind === "rework";
  return [
    {
      id: `${claim.id}:${grant.agent}`,
      claim: claim.id,
      target: node.id,
      thread: isVersion ? node.logical_id : `${claim.id}:${grant.agent}`,
      sources: [node.id, ...made],
      agent: grant.agent,
      phase: grant.phase,
      attempt: grant.attempt,
      ...state,
    },
  ];
}

function stateOf(grant: Grant): Pick<Pending, "what" | "since"> | undefined {
  switch (grant.state) {
    case "running":
      return { what: "works", since: grant.started_at };
    case "queued":
      return { what: "queued", since: grant.queued_at };
    case "waiting":
      return { what: grant.waits_for.kind, since: grant.started_at };
    case "failed":
      return grant.retry_at === undefined ? undefined : { what: "retry", since: grant.ended_at };
    default:
      return undefined;
  }
}

/**
 * Agents that have not bid on the artefact yet. The graph's claims do not say who is asked, only
 * that the bidding is open.
 */
export function isBidding(node: ArtefactNode): boolean {
  return node.claims.some((claim) => isOpen(claim) && claim.bidding === "open");
}
