// Decisions about a claim, as the orchestrator commits them: the bidding closes, a phase begins, a
// grant is tried again, the claim ends.

import type { ClaimCommit } from "../../../../../lib/blackboard/port/blackboard.ts";
import type { DueItem } from "../../../../../lib/blackboard/port/leader.ts";
import { type Claim, type Grant, isEnded } from "../../../../../lib/model/claim.ts";
import { phases, phaseTable } from "../../../../../lib/model/phase.ts";
import { call } from "../call.ts";
import { artefact, newClaim, queuedGrant, word } from "../samples.ts";
import { agents, type World } from "../world.ts";
import type { Move } from "./move.ts";

export const commitMoves: readonly Move[] = [
  { weight: 4, make: (world) => commit(world, bidding, closeBidding) },
  { weight: 8, make: (world) => commit(world, () => true, beginPhase) },
  { weight: 4, make: (world) => commit(world, () => true, changeGrant) },
  { weight: 3, make: (world) => commit(world, () => true, endClaim) },
  { weight: 3, make: (world) => commit(world, () => true, addMore) },
];

type Decision = (world: World, claim: Claim, grants: readonly Grant[]) => Partial<ClaimCommit>;

function commit(world: World, isWanted: (claim: Claim) => boolean, decide: Decision) {
  const open = [...world.state.claims.values()].filter(
    ({ claim }) => isWanted(claim) && !isEnded(claim.status),
  );
  const ended = [...world.state.claims.values()];
  const record = world.random.pick(world.random.chance(0.95) ? open : ended);
  if (record === undefined) return undefined;
  const { claim } = record;
  const isStale = world.random.chance(0.07);
  const order: ClaimCommit = {
    claim: world.random.chance(0.98) ? claim.id : world.newClaimId(),
    epoch: world.epoch(),
    expectedRev: isStale ? claim.rev + world.random.oneOf(-1, 1) : claim.rev,
    readOn: world.random.chance(0.97) ? 1 : 0,
    commitId: world.random.uuid(),
    set: {},
    bids: [],
    grants: [],
    artefacts: [],
    claims: [],
    due: { set: [], clear: [] },
    events: [],
    ...decide(world, claim, [...record.grants.values()]),
  };
  return call(world.leading(), "commitClaim", order);
}

function bidding(claim: Claim): boolean {
  return claim.bidding === "open";
}

function about(claim: Claim) {
  return { goal_id: claim.goal_id, claim_id: claim.id, artefact_id: claim.artefact_id };
}

/** Bids are imposed for some of those that are missing. */
function closeBidding(world: World, claim: Claim): Partial<ClaimCommit> {
  const agent = world.agent();
  return {
    set: { bidding: "closed" },
    bids: world.random.some(claim.electorate).map((one) => ({ agent: one, word: word(world) })),
    due: { set: [], clear: world.random.chance(0.5) ? [{ kind: "bids", claim: claim.id }] : [] },
    events: [
      { type: "bidding_closed", ...about(claim) },
      { type: "bid_imposed", ...about(claim), agent, data: { word: "ignore" } },
    ],
  };
}

function beginPhase(world: World, claim: Claim, before: readonly Grant[]): Partial<ClaimCommit> {
  const phase = world.random.oneOf(...(phases as [(typeof phases)[number]]));
  const { status } = phaseTable[phase];
  // An agent has one bid on a claim, and so one grant.
  const free = agents.filter((agent) => !before.some((grant) => grant.agent === agent));
  const chosen = phase === "exclusive" ? free.slice(0, 1) : world.random.some(free, 0.7);
  const grants = chosen.map((agent): Grant => {
    if (phase !== "review" || world.random.chance(0.5))
      return { ...queuedGrant(world, phase), agent } as Grant;
    return {
      agent,
      phase,
      attempt: 1,
      queued_at: world.at,
      started_at: world.at,
      context_ids: [],
      state: "waiting",
      waits_for: { kind: "approval" },
    };
  });
  const set = world.random.chance(0.8) ? { status, bidding: "closed" as const } : { status };
  return {
    set: { ...set, granted: { phase, agents: chosen } },
    grants,
    events: grantEvents(claim, grants),
  };
}

function grantEvents(claim: Claim, grants: readonly Grant[]) {
  return grants.map(({ agent, phase, attempt }) => ({
    type: "grant_queued" as const,
    ...about(claim),
    agent,
    data: { phase, attempt },
  }));
}

/** The next attempt is queued, or due later; or the grant is cancelled. */
function changeGrant(world: World, claim: Claim, grants: readonly Grant[]): Partial<ClaimCommit> {
  const grant = world.random.pick(grants);
  if (grant === undefined) return {};
  const { agent, phase, queued_at } = grant;
  const { attempt } = grant;
  const base = { agent, phase, attempt, queued_at };
  const changed = world.random.oneOf<Grant>(
    { ...base, attempt: attempt + 1, queued_at: world.at, state: "queued" },
    { ...base, state: "cancelled", ended_at: world.at, reason: "another agent was faster" },
    {
      ...base,
      started_at: world.at,
      context_ids: [],
      state: "failed",
      ended_at: world.at,
      artefact_ids: [],
      reason: "lease",
      retry_at: world.at,
    },
  );
  const item: DueItem = { kind: "attempt", claim: claim.id, agent, attempt: attempt + 1 };
  const later = { item, afterMs: world.afterMs() };
  const failures = world.random.chance(0.3) ? [failureOf(world, claim)] : [];
  return {
    grants: [changed],
    artefacts: failures,
    due: {
      set: changed.state === "failed" ? [later] : [],
      clear: world.random.chance(0.3) ? [item] : [],
    },
    events: grantEvents(claim, changed.state === "queued" ? [changed] : []),
  };
}

function endClaim(world: World, claim: Claim, grants: readonly Grant[]): Partial<ClaimCommit> {
  const isComplete = world.random.chance(0.5) && grants.every(({ state }) => state === "done");
  if (isComplete)
    return { set: { status: "complete" }, events: [{ type: "claim_completed", ...about(claim) }] };
  const reason = "an agent failed";
  return {
    set: { status: "terminated", bidding: "closed", termination_reason: reason },
    grants: world.random.some(grants).map(({ agent, phase, attempt, queued_at }) => ({
      agent,
      phase,
      attempt,
      queued_at,
      state: "cancelled",
      ended_at: world.at,
      reason,
    })),
    artefacts: world.random.chance(0.5) ? [failureOf(world, claim)] : [],
    events: [{ type: "claim_terminated", ...about(claim), data: { reason, kind: claim.kind } }],
  };
}

/** A claim that follows, a Failure that cannot be stored, what is due. */
function addMore(world: World, claim: Claim): Partial<ClaimCommit> {
  const opens = world.random.chance(0.6) ? [newClaim(world)] : [];
  const known = world.artefact(world.indexedId());
  const odd = known && world.random.chance(0.2) ? [{ ...known, payload: "another" }] : [];
  const repeated = known && world.random.chance(0.2) ? [known] : [];
  return {
    artefacts: [
      ...repeated,
      ...odd,
      ...(world.random.chance(0.3) ? [failureOf(world, claim)] : []),
    ],
    claims: opens,
    due: {
      set: [{ item: { kind: "announce", claim: claim.id }, afterMs: world.afterMs() }],
      clear: [{ kind: "bids", claim: claim.id }],
    },
  };
}

function failureOf(world: World, claim: Claim) {
  return artefact(world, {
    structural_type: "Failure",
    type: "CommandFailed",
    goal_id: claim.goal_id,
    claim_id: claim.id,
    source_artefacts: [claim.artefact_id],
    produced_by_role: "orchestrator",
    metadata: {},
  });
}
