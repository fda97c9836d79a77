// The state of an instance as JSON: of its goals, claims and agents. `sett status --json` and the
// API have the same.
import { goalReverts } from "../../core/goal-reverts.ts";
import type { Waiting } from "../../core/goal-status.ts";
import type { RegisteredAgent } from "../../model/agent.ts";
import type { ArtefactHead } from "../../model/artefact.ts";
import type { ClaimSnapshot } from "../../model/claim.ts";
import type { AgentName } from "../../model/ids.ts";
import { phasesOf, stageOf } from "../render/claim-phases.ts";
import { goalCostJson } from "../render/cost-text.ts";
import { kindOf } from "./agent-kind.ts";
import {
  blockedReasonOf,
  claimsOf,
  type Situation,
  stateOf,
  withCounted,
  workersOf,
} from "./blocked-reason.ts";
import { failuresOf, type GoalReading, goalSummary } from "./goal.ts";
import type { LaneState } from "./lanes.ts";

export function agentJson(
  agent: RegisteredAgent,
  situation: Situation,
  lanes: ReadonlyMap<AgentName, LaneState>,
) {
  const { name, role } = agent;
  const last = situation.statuses.get(name);
  const [claim] = claimsOf(agent, situation);
  const state = last === undefined ? "unknown" : stateOf(agent, last, situation);
  const workers = workersOf(agent, situation);
  return {
    name,
    role,
    state: kindOf(agent) ?? (agent.unreadable === undefined ? state : "unreadable"),
    last_heartbeat: last === undefined ? null : new Date(last.at).toISOString(),
    claim_id: claim ?? null,
    workers:
      workers === undefined
        ? null
        : { at_work: workers.claims.length, of: workers.max, claim_ids: workers.claims },
    lane: lanes.get(name) ?? null,
  };
}

export function goalJson(reading: GoalReading, situation: Situation) {
  const { goal, status, artefacts, count, unreadable, overwritten, cost, trigger } = reading;
  const { state, openClaims, waitingFor } = status;
  return {
    id: goal,
    state,
    summary: goalSummary(reading),
    created_at: artefacts[0]?.created_at,
    trigger: trigger ?? null,
    paused: situation.pausedGoals?.get(goal) ?? null,
    artefacts: count,
    unreadable,
    overwritten: overwritten ?? [],
    cost: goalCostJson(cost),
    reverts: goalReverts(artefacts),
    open_claims: openClaims.map(claimJson),
    failures: failuresOf(reading).map(failureJson),
    waiting_for: waitingFor.map((waiting) => waitingJson(waiting, situation)),
  };
}

function failureJson({ id, type, produced_by_agent, metadata, created_at }: ArtefactHead) {
  return { id, type, by: produced_by_agent || null, reason: metadata.summary ?? "", created_at };
}

export function claimJson(snapshot: ClaimSnapshot) {
  const { id, artefact_id, kind, status, bidding, electorate, bids } = snapshot.claim;
  const words = new Map(bids.map((bid) => [bid.agent, bid.word]));
  return {
    id,
    artefact_id,
    kind,
    status,
    bidding,
    stage: stageOf(snapshot.claim),
    bids: Object.fromEntries(electorate.map((agent) => [agent, words.get(agent) ?? null])),
    phases: phasesOf(snapshot).map(({ phase, steps }) => ({
      phase,
      done: steps.filter(({ state }) => state === "done" || state === "rejected").length,
      of: steps.length,
      agents: steps,
    })),
  };
}

/** The reason is there where the blackboard shows it. */
export function waitingJson(waiting: Waiting, situation: Situation) {
  const why = blockedReasonOf(waiting, situation);
  const counted = withCounted(waiting, situation);
  return why === undefined ? counted : { ...counted, why };
}
