// Whether an external agent can have been given what it says that it was: a cub reads its inputs
// itself, but such an agent's word is all that there is.

import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { contextDepth } from "../../../lib/blackboard/records/context-chain.ts";
import { resultsOfEarlierPhases } from "../../../lib/core/result-artefact.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import {
  type AgentName,
  ArtefactId,
  type ClaimId,
  type LogicalId,
} from "../../../lib/model/ids.ts";
import type { AgentCache } from "../decide/agent-cache.ts";

/** More than any context that a person would give by hand. */
const maxIds = 1_000;

type Deps = {
  board: Pick<LeaderBlackboard, "readClaim" | "readHeads">;
  agentCache: Pick<AgentCache, "list">;
};
type Said = { claim: ClaimId; agent: AgentName; ids: readonly ArtefactId[] };

/**
 * A sentence that names the first artefact which was not among its inputs; undefined where there is
 * none, and for other agents.
 */
export async function givenProblem(
  { board, agentCache }: Deps,
  { claim, agent, ids }: Said,
): Promise<string | undefined> {
  const registered = (await agentCache.list()).find(({ name }) => name === agent);
  if (registered?.external !== true) return undefined;
  const first = await firstInputs(board, claim, agent);
  const wanted = [...new Set(ids)].filter((id) => !first.has(id));
  if (wanted.length === 0) return undefined;
  if (wanted.length > maxIds)
    return `It names ${wanted.length} artefacts; at most ${maxIds} are looked at.`;
  const heads = await headsOf(board, wanted);
  const threads = await threadsAround(board, [...first], heads);
  const foreign = wanted.find((id) => {
    const head = heads.find((one) => one.id === id);
    return head === undefined || !threads.has(head.logical_id);
  });
  return foreign && `Agent ${agent} was not given ${foreign}, which it names.`;
}

/** Reads what the claim itself gives the agent. */
async function firstInputs(
  board: Deps["board"],
  id: ClaimId,
  agent: AgentName,
): Promise<Set<ArtefactId>> {
  const snapshot = await board.readClaim(id);
  if (snapshot === undefined) return new Set();
  const { claim, grants } = snapshot;
  const grant = grants.find((one) => one.agent === agent);
  const earlier = grant === undefined ? [] : resultsOfEarlierPhases(grants, grant.phase);
  const own = [...claim.additional_context_ids, ...(grant?.dialogue ?? [])];
  return new Set([claim.artefact_id, ArtefactId.parse(claim.goal_id), ...own, ...earlier]);
}

/**
 * The threads that a context reaches from there. A context has the latest version of each, and goes
 * on from that as well as from the version that is cited: `heads` are those of which it may be one.
 */
async function threadsAround(
  board: Deps["board"],
  first: readonly ArtefactId[],
  heads: readonly ArtefactHead[],
): Promise<Set<LogicalId>> {
  const threads = new Set<LogicalId>();
  const known = new Set<ArtefactId>();
  let next = first;
  // The first step reads what the claim gives, the others go back from there.
  for (
    let depth = 0;
    depth <= contextDepth && next.length > 0 && known.size <= maxIds;
    depth += 1
  ) {
    const found = await headsOf(board, next);
    for (const { id, logical_id } of found) {
      known.add(id);
      threads.add(logical_id);
    }
    const latest = heads.filter(({ logical_id }) => threads.has(logical_id));
    for (const { id } of latest) known.add(id);
    const sources = [...found, ...latest].flatMap(({ source_artefacts }) => source_artefacts);
    next = [...new Set(sources)].filter((id) => !known.has(id));
  }
  return threads;
}

async function headsOf(board: Deps["board"], ids: readonly ArtefactId[]): Promise<ArtefactHead[]> {
  return (await board.readHeads(ids)).map(({ head }) => head);
}
