// Common beginnings of the suite's tests.

import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ClaimCommit } from "../../../lib/blackboard/port/claims.ts";
import type { GrantResult } from "../../../lib/blackboard/port/grants.ts";
import type { ArtefactFields } from "../../../lib/blackboard/records/artefact-field-names.ts";
import { fieldsOfArtefact } from "../../../lib/blackboard/records/artefact-fields.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { Claim, Grant, RunningGrant } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { agentName, sampleArtefact, sampleClaim } from "../records/sample.ts";

export const user = "person:Ada Lovelace";
export const at = "2026-01-01T00:00:00.000Z";

export async function acquireLeaderLease(board: Blackboard): Promise<number> {
  const leader = await board.acquireLeaderLease({ holder: "h1", leaseMs: 60_000, restarted: true });
  if (leader.outcome !== "held") throw new Error("The leader lease is taken.");
  return leader.epoch;
}

export async function postGoal(board: Blackboard): Promise<Artefact> {
  const goal = sampleArtefact();
  await board.createArtefact(goal, user);
  return goal;
}

/** A goal with an open claim that these agents must bid on. */
export async function openClaim(
  board: Blackboard,
  electorate: readonly string[],
  over: Partial<Claim> = {},
) {
  const epoch = await acquireLeaderLease(board);
  const goal = await postGoal(board);
  const claim = sampleClaim(goal, electorate, over);
  await openStandard(board, claim, epoch);
  return { epoch, goal, claim };
}

/** Opens the claim that each artefact gets. */
export async function openStandard(
  board: Pick<Blackboard, "openClaim">,
  claim: Claim,
  epoch: number,
): Promise<void> {
  const open = { claim, cause: "standard", grants: [] };
  await board.openClaim({ open, epoch, bidDeadlineMs: 60_000 });
}

let commits = 0;

/** As one that was read on a handle's first connection. */
export function commitOf(
  claim: ClaimId,
  epoch: number,
  expectedRev: number,
  over: Partial<ClaimCommit> = {},
): ClaimCommit {
  commits += 1;
  const nothing = {
    set: {},
    bids: [],
    grants: [],
    artefacts: [],
    claims: [],
    due: { set: [], clear: [] },
    events: [],
  };
  return {
    claim,
    epoch,
    expectedRev,
    readOn: 1,
    commitId: `commit-${commits}`,
    ...nothing,
    ...over,
  };
}

export function queued(agent: string, attempt = 1): Grant {
  return { agent: agentName(agent), phase: "exclusive", attempt, queued_at: at, state: "queued" };
}

export function running(agent: string, attempt = 1): RunningGrant {
  return {
    agent: agentName(agent),
    phase: "exclusive",
    attempt,
    queued_at: at,
    started_at: at,
    context_ids: [],
    state: "running",
  };
}

/** A claim whose exclusive grant is queued for `coder`. */
export async function queueGrant(board: Blackboard, name = "coder") {
  const { epoch, goal, claim } = await openClaim(board, [name]);
  const granted = { phase: "exclusive" as const, agents: [agentName(name)] };
  const set = { status: "pending_exclusive", bidding: "closed", granted } as const;
  const readOn = board.connectionNumber();
  await board.commitClaim(commitOf(claim.id, epoch, 0, { set, grants: [queued(name)], readOn }));
  return { epoch, goal, claim, agent: agentName(name) };
}

export async function runGrant(board: Blackboard, leaseMs = 60_000) {
  const scene = await queueGrant(board);
  await board.acceptGrant({ claim: scene.claim.id, grant: running("coder"), leaseMs });
  return scene;
}

export function resultOf(target: Artefact, claim: Claim, over: Partial<Artefact> = {}): Artefact {
  return sampleArtefact({
    type: "Report",
    source_artefacts: [target.id],
    produced_by_role: "coder",
    produced_by_agent: "coder",
    goal_id: target.goal_id,
    claim_id: claim.id,
    ...over,
  });
}

export function done(claim: ClaimId, artefact: Artefact, grant = running("coder")) {
  const result: GrantResult = { outcome: "done", artefact };
  return { claim, grant, endedAt: at, result };
}

export async function events(board: Blackboard, type?: SettEvent["type"]): Promise<SettEvent[]> {
  const all = await board.readEvents("0", 1_000);
  return type === undefined ? all : all.filter((event) => event.type === type);
}

/** An artefact that a person writes is not complete without these. */
export const requiredFields = [
  "id",
  "logical_id",
  "version",
  "structural_type",
  "type",
  "payload",
  "source_artefacts",
  "produced_by_role",
] as const;

/** Returns what a person would write: the required fields alone. */
export function byHand(artefact: Artefact): Partial<ArtefactFields> {
  const fields = fieldsOfArtefact(artefact);
  return Object.fromEntries(requiredFields.map((name) => [name, fields[name]]));
}
