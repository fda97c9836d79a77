// Grants: a cub follows them, accepts one, renews its lease, and finishes it.
import { begunParts } from "../../../../../lib/blackboard/mail/begun-message.ts";
import type { ClaimCommit } from "../../../../../lib/blackboard/port/blackboard.ts";
import type { GrantResult } from "../../../../../lib/blackboard/port/grants.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import type { RunningGrant } from "../../../../../lib/model/claim.ts";
import { LogicalId } from "../../../../../lib/model/ids.ts";
import { call } from "../call.ts";
import { artefact, commit, runningGrant } from "../samples.ts";
import type { GrantAt, World } from "../world.ts";
import type { Move } from "./move.ts";

export const grantMoves: readonly Move[] = [
  {
    weight: 14,
    make: (world) => {
      const at = world.grantOf("queued");
      if (at === undefined) return undefined;
      const queuedAt = world.random.chance(0.97) ? {} : { queued_at: "2025-01-01T00:00:00.000Z" };
      const run =
        world.runs[0] !== undefined && world.random.chance(0.5) ? { run_id: world.runs[0] } : {};
      const grant = {
        ...runningGrant(world, at.grant),
        ...run,
        attempt: attemptOf(world, at),
        ...queuedAt,
      };
      if (grant.model_token)
        world.tokens.set(`grant:${at.claim.id}:${grant.agent}`, grant.model_token);
      return call(world.handle(), "acceptGrant", {
        claim: claimOf(world, at),
        grant,
        leaseMs: world.afterMs(),
        ...mail(world),
      });
    },
  },
  {
    weight: 5,
    make: (world) => {
      const at = world.grantOf("queued");
      if (at === undefined) return undefined;
      const { random } = world;
      const run = random.oneOf(world.runs[0] ?? random.uuid(), random.uuid());
      world.runs.unshift(run);
      return call(world.handle(), "takeGrant", {
        claim: claimOf(world, at),
        agent: at.grant.agent,
        attempt: attemptOf(world, at),
        queued_at: random.chance(0.97) ? at.grant.queued_at : "2025-01-01T00:00:00.000Z",
        run,
        message: { id: random.uuid(), text: "started" },
      });
    },
  },
  {
    weight: 7,
    make: (world) => {
      const { random } = world;
      const at = world.grantOf(random.chance(0.9) ? "queued" : "running");
      if (at === undefined) return undefined;
      const run = random.oneOf(world.runs[0] ?? random.uuid(), random.uuid());
      world.runs.unshift(run);
      const about = { isQuiet: random.chance(0.5), host: random.chance(0.5) ? "desk" : undefined };
      const parts = begunParts(at.claim.id, {
        ...about,
        run: { started_at: world.at, run_id: run },
      });
      return call(world.handle(), "beginWork", {
        claim: claimOf(world, at),
        agent: at.grant.agent,
        run,
        message: { id: random.uuid(), mayTake: random.chance(0.8), ...parts },
        ...(random.chance(0.1) && { maxBytes: random.below(200) }),
      });
    },
  },
  {
    weight: 3,
    make: (world) => {
      const at = world.grantOf("running");
      if (at === undefined) return undefined;
      const { agent } = at.grant;
      return call(world.handle(), "renewLease", {
        claim: claimOf(world, at),
        agent,
        attempt: attemptOf(world, at),
        leaseMs: world.afterMs(),
      });
    },
  },
  {
    weight: 10,
    make: (world) => {
      const at = world.grantOf("running");
      if (at === undefined) return undefined;
      const grant: RunningGrant =
        at.grant.state === "running" ? at.grant : runningGrant(world, at.grant);
      const order = {
        claim: claimOf(world, at),
        grant: { ...grant, attempt: attemptOf(world, at) },
        endedAt: world.at,
      };
      return call(world.handle(), "finishGrant", {
        ...order,
        result: resultOf(world, at),
        ...mail(world),
      });
    },
  },
  {
    weight: 6,
    make: (world) => {
      const isStarting = world.random.chance(0.6);
      const at = world.grantOf(isStarting ? "queued" : "running");
      if (at === undefined) return undefined;
      const grant: RunningGrant =
        at.grant.state === "running" ? at.grant : runningGrant(world, at.grant);
      const order = {
        claim: claimOf(world, at),
        grant: { ...grant, attempt: attemptOf(world, at) },
        endedAt: world.at,
      };
      const start = isStarting ? { start: { leaseMs: world.afterMs() } } : {};
      const decided = world.random.chance(0.7)
        ? { commit: decision(world, at, isStarting ? 2 : 1) }
        : {};
      return call(world.leading(), "finishGrant", {
        ...order,
        result: resultOf(world, at),
        ...mail(world),
        ...start,
        ...decided,
        ...(world.random.chance(0.3) && { isUnlogged: true }),
      });
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "readGrant", world.claimId(), world.agent()) },
  { weight: 4, make: (world) => call(world.handle(), "followGrants", world.agent()) },
];

/** Decides on the claim as it is after so many changes; at times it goes by another state of it. */
function decision(world: World, { claim }: GrantAt, changes: number): ClaimCommit {
  const about = { goal_id: claim.goal_id, claim_id: claim.id, artefact_id: claim.artefact_id };
  const { random } = world;
  const isEnding = random.chance(0.6);
  return {
    ...{ claim: claim.id, epoch: world.epoch(), readOn: 1, commitId: random.uuid() },
    expectedRev: claim.rev + (random.chance(0.9) ? changes : 0),
    set: isEnding ? { status: "terminated", bidding: "closed", termination_reason: "its end" } : {},
    ...{ bids: [], grants: [], artefacts: [], claims: [], due: { set: [], clear: [] } },
    events: isEnding ? [{ type: "claim_terminated", ...about }] : [],
  };
}

/**
 * Makes the place of no message that is there: the places of those differ between the two. It is
 * older than all of them, or younger.
 */
function mail({ random }: World) {
  const place = random.chance(0.7) ? "0-1" : "9999999999999-1";
  return random.chance(0.3)
    ? { mail: { place, id: random.uuid(), isQuiet: random.chance(0.5) } }
    : {};
}

function claimOf(world: World, { claim }: GrantAt) {
  return world.random.chance(0.98) ? claim.id : world.claimId();
}

function attemptOf(world: World, { grant }: GrantAt): number {
  return world.random.chance(0.95) ? grant.attempt : grant.attempt + 1;
}

function resultOf(world: World, { claim, grant }: GrantAt): GrantResult {
  const { random } = world;
  const outcome = random.oneOf(
    "done" as const,
    "done" as const,
    "asked" as const,
    "failed" as const,
  );
  const about = {
    source_artefacts: [claim.artefact_id],
    goal_id: claim.goal_id,
    claim_id: claim.id,
    produced_by_role: grant.agent as string,
    produced_by_agent: grant.agent as string,
  };
  const make = (over: Partial<Artefact>) => artefact(world, { ...about, ...over });
  const known = world.artefact(world.indexedId());
  if (known !== undefined && random.chance(0.05))
    return { outcome: "done", artefact: random.oneOf(known, { ...known, payload: "another" }) };
  switch (outcome) {
    case "done":
      return {
        outcome,
        artefact: random.chance(0.8)
          ? resultArtefact(world, claim.artefact_id, make, grant.phase === "review")
          : make({ logical_id: LogicalId.parse(random.uuid()) }),
      };
    case "asked":
      return {
        outcome,
        artefact: make({ structural_type: "Question", type: "Clarification" }),
        ...(random.chance(0.5) && { base: commit(world) }),
      };
    default:
      return {
        outcome,
        artefact: make({ structural_type: "Failure", type: "CommandFailed" }),
        reason: 'exit code 1: "no"',
        ...(random.chance(0.5) && { failureType: "CommandFailed" }),
      };
  }
}

/** A Review, a report of its own, or the next version of the target. */
function resultArtefact(
  world: World,
  target: Artefact["id"],
  make: (over: Partial<Artefact>) => Artefact,
  isReview: boolean,
): Artefact {
  if (isReview) return make({ structural_type: "Review", type: "Review", payload: "{}" });
  const end = world.artefact(target);
  if (end === undefined || world.random.chance(0.6)) return make({});
  const { logical_id, structural_type, type } = end;
  return make({ logical_id, structural_type, type, version: end.version + 1 });
}
