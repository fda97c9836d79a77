// Artefacts, claims and grants that fit what exists.

import type { NewClaim } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { type BidWord, textOfBids } from "../../../../lib/model/bid.ts";
import type { Claim, Grant } from "../../../../lib/model/claim.ts";
import type { EventDraft } from "../../../../lib/model/event.ts";
import { type ArtefactId, CommitHash, GoalId, LogicalId } from "../../../../lib/model/ids.ts";
import type { Phase } from "../../../../lib/model/phase.ts";
import { agents, type World } from "./world.ts";

const longText = "ä€ line 𝄞\n".repeat(150);

/** The first artefact of a new goal. */
export function newGoal(world: World): Artefact {
  const id = world.newArtefactId();
  return artefact(world, {
    id,
    logical_id: LogicalId.parse(id),
    goal_id: GoalId.parse(id),
    type: "GoalDefined",
    produced_by_role: "user",
  });
}

/** The first version of a new thread, unless `over` says otherwise. */
export function artefact(world: World, over: Partial<Artefact> = {}): Artefact {
  const { random } = world;
  const id = over.id ?? world.newArtefactId();
  const type = random.oneOf("Report", "CodeCommit", "Draft");
  return {
    id,
    logical_id: LogicalId.parse(id),
    version: 1,
    structural_type: "Standard",
    type,
    payload: random.oneOf("", "text", 'quotes " and \\ and ü', longText),
    source_artefacts: [
      ...random.some([...world.state.indexed.keys()].slice(-4), 0.4),
      ...(random.chance(0.05) ? [world.newArtefactId()] : []),
    ],
    produced_by_role: random.oneOf("coder", "critic", "user"),
    produced_by_agent: "",
    created_at: new Date(world.state.now() + random.oneOf(0, 0, -5, 1_000)).toISOString(),
    goal_id: world.goal(),
    claim_id: "",
    metadata: metadata(world),
    ...over,
  };
}

/** The next version of a thread, mostly. */
export function nextVersion(world: World): Artefact | undefined {
  const thread = world.random.pick([...world.state.threads.keys()]);
  const [last] = thread === undefined ? [] : world.state.versionsOf(thread).slice(-1);
  const end = last && world.artefact(last);
  if (end === undefined) return undefined;
  const { logical_id, structural_type, type, goal_id } = end;
  const sources = [end.id, ...world.random.some(end.source_artefacts)];
  const version = end.version + world.random.oneOf(1, 1, 1, 1, 1, 0, 2);
  return artefact(world, {
    logical_id,
    version,
    structural_type,
    goal_id,
    source_artefacts: sources,
    type: world.random.oneOf(type, type, type, type, "Other"),
  });
}

function metadata(world: World): Artefact["metadata"] {
  const { random } = world;
  return {
    ...(random.chance(0.3) && { summary: random.oneOf("Done", "", "  ", "ü 𝄞") }),
    ...(random.chance(0.3) && { commit: commit(world) }),
    ...(random.chance(0.2) && { note: [1, "two", { commit: null }] }),
  };
}

export function commit(world: World): CommitHash {
  return CommitHash.parse(world.hex(40));
}

/**
 * A claim about an artefact that is known. Mostly its bidding is open; otherwise it begins with a
 * grant.
 */
export function newClaim(world: World): NewClaim {
  const { random } = world;
  const target = world.indexedId();
  const goal = GoalId.safeParse(world.state.artefacts.get(target)?.goal_id).data ?? world.goal();
  const isOpen = random.chance(0.75);
  const kind = isOpen
    ? "standard"
    : random.oneOf<Claim["kind"]>("rework", "clarification", "retry");
  const electorate = isOpen ? random.some(agents, 0.8) : [];
  const bids =
    isOpen && random.chance(0.2)
      ? electorate.slice(0, 1).map((agent) => ({ agent, word: word(world) }))
      : [];
  const claim: Claim = {
    id: world.newClaimId(),
    artefact_id: target,
    goal_id: goal,
    kind,
    status: isOpen ? "pending_review" : "pending_exclusive",
    bidding: isOpen ? "open" : "closed",
    electorate,
    bids,
    additional_context_ids: random.some([...world.state.indexed.keys()].slice(0, 2), 0.3),
    ...(!isOpen && random.chance(0.3) && { stand_in: { for: "coder", because: "coder is gone" } }),
    rev: 0,
    created_at: world.at,
    termination_reason: "",
  };
  const cause = isOpen && random.chance(0.7) ? "standard" : `${kind}:${world.artefactId()}`;
  if (isOpen && random.chance(0.35)) return decidedAtOnce(world, claim, cause);
  return { claim, cause, grants: isOpen ? [] : [queuedGrant(world, "exclusive")] };
}

/**
 * All bids were given in advance: work is granted with the opening, or the claim has ended with it.
 */
function decidedAtOnce(world: World, opened: Claim, cause: string): NewClaim {
  const { random } = world;
  const about = { goal_id: opened.goal_id, claim_id: opened.id, artefact_id: opened.artefact_id };
  const bids = opened.electorate.map((agent) => ({ agent, word: word(world) }));
  const placed: EventDraft = {
    type: "bids_placed",
    ...about,
    data: { bids: textOfBids(bids), missing: 0 },
  };
  const [bidder] = random.some(opened.electorate, 0.7);
  const grants =
    bidder === undefined ? [] : [{ ...queuedGrant(world, "parallel"), agent: bidder } as Grant];
  const status = bidder === undefined ? "complete" : "pending_parallel";
  const claim: Claim = { ...opened, bids, status, bidding: "closed" };
  const last: EventDraft =
    bidder === undefined
      ? { type: "claim_completed", ...about }
      : { type: "grant_queued", ...about, agent: bidder, data: { phase: "parallel", attempt: 1 } };
  return { claim, cause, grants, first: [placed, { type: "bidding_closed", ...about }, last] };
}

export function word(world: World): BidWord {
  return world.random.oneOf<BidWord>("review", "claim", "exclusive", "ignore");
}

export function queuedGrant(world: World, phase: Phase, over: Partial<Grant> = {}): Grant {
  const agent = world.agent();
  return { agent, phase, attempt: 1, queued_at: world.at, ...over, state: "queued" } as Grant;
}

/** As the cub would accept it. */
export function runningGrant(world: World, { agent, phase, attempt, queued_at }: Grant) {
  const token = world.random.chance(0.9) ? world.hex(64) : undefined;
  return {
    agent,
    phase,
    attempt,
    queued_at,
    ...(token && { model_token: token }),
    started_at: world.at,
    context_ids: world.random.some([...world.state.indexed.keys()], 0.2) as ArtefactId[],
    state: "running" as const,
  };
}
