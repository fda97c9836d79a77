// The state of each lane: its tip, the goal that is merged now, the goals that wait for it, and
// those that it has stopped. Stored nowhere but for the tip.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { Pause } from "../../blackboard/port/people.ts";
import type { ArtefactHead } from "../../model/artefact.ts";
import type { Claim, ClaimSnapshot, Grant } from "../../model/claim.ts";
import type { AgentName, ArtefactId, ClaimId, CommitHash, GoalId } from "../../model/ids.ts";
import type { LaneName } from "../../model/lane.ts";
import { actorName } from "../../words/actor-name.ts";
import type { Situation } from "./blocked-reason.ts";

/** A goal on its way onto a lane. `artefact_id`: its result. `since`: ISO 8601. */
export type LaneGoal = {
  goal_id: GoalId;
  artefact_id: ArtefactId;
  claim_id: ClaimId;
  since: string;
};

/**
 * `waits_for`: `rework` by `agent`, to which the lane has sent the result back; another attempt of
 * the lane's own agent; or that a person resumes the goal. `reason`: the feedback's first line, why
 * the attempt failed, or who has paused it.
 */
export type BlockedGoal = LaneGoal & {
  waits_for: "rework" | "retry" | "resume";
  agent: AgentName;
  reason: string;
};

/** `tip`: null before the first result lands. `next`: in the order of their grants. */
export type LaneState = {
  name: LaneName;
  agent: AgentName;
  tip: CommitHash | null;
  merges: LaneGoal | null;
  next: LaneGoal[];
  blocked: BlockedGoal[];
};

/** Returns the lanes by the names of the agents that merge onto them. */
export async function readLanes(
  board: Pick<PersonBlackboard, "listLanes" | "readHeads">,
  { agents, open, pausedGoals = new Map() }: Pick<Situation, "agents" | "open" | "pausedGoals">,
): Promise<Map<AgentName, LaneState>> {
  const merging = agents.flatMap(({ name, lane }) => (lane === undefined ? [] : [{ name, lane }]));
  if (merging.length === 0) return new Map();
  const reworks = open.filter(({ claim }) => claim.kind === "rework");
  const [tips, reviews] = await Promise.all([
    board.listLanes(),
    board.readHeads(reworks.flatMap(({ claim }) => claim.additional_context_ids)),
  ]);
  const byId = new Map(reviews.map(({ head }) => [head.id, head]));
  return new Map(
    merging.map(({ name, lane }) => {
      const tip = tips.find((one) => one.lane === lane)?.commit ?? null;
      return [name, { name: lane, agent: name, tip, ...goalsOf(name, open, byId, pausedGoals) }];
    }),
  );
}

function goalsOf(
  lane: AgentName,
  open: readonly ClaimSnapshot[],
  reviews: ReadonlyMap<ArtefactId, ArtefactHead>,
  pausedGoals: ReadonlyMap<GoalId, Pause>,
): Pick<LaneState, "merges" | "next" | "blocked"> {
  const own = open.flatMap(({ claim, grants }) =>
    grants.filter(({ agent }) => agent === lane).map((grant) => ({ claim, grant })),
  );
  const [merges = null] = own.flatMap(({ claim, grant }) =>
    grant.state === "running" ? [goalOf(claim, grant.started_at)] : [],
  );
  const queued = own.flatMap(({ claim, grant }) =>
    grant.state === "queued" ? [goalOf(claim, grant.queued_at)] : [],
  );
  const next = queued.filter(({ goal_id }) => !pausedGoals.has(goal_id)).toSorted(bySince);
  const paused = queued.flatMap((goal) => pausedOf(goal, lane, pausedGoals.get(goal.goal_id)));
  const retried = own.flatMap(({ claim, grant }) => retriedOf(claim, grant));
  const sentBack = open.flatMap((snapshot) => sentBackOf(snapshot, lane, reviews));
  return { merges, next, blocked: [...paused, ...retried, ...sentBack].toSorted(bySince) };
}

function pausedOf(goal: LaneGoal, agent: AgentName, pause: Pause | undefined): BlockedGoal[] {
  if (pause === undefined) return [];
  const { since, by } = pause;
  return [{ ...goal, since, waits_for: "resume", agent, reason: `by ${actorName(by)}` }];
}

function retriedOf(claim: Claim, grant: Grant): BlockedGoal[] {
  if (grant.state !== "failed" || grant.retry_at === undefined) return [];
  const { agent, reason, ended_at } = grant;
  return [{ ...goalOf(claim, ended_at), waits_for: "retry", agent, reason }];
}

/** The rework for which the lane has asked, until it ends. */
function sentBackOf(
  { claim, grants }: ClaimSnapshot,
  lane: AgentName,
  reviews: ReadonlyMap<ArtefactId, ArtefactHead>,
): BlockedGoal[] {
  if (claim.kind !== "rework") return [];
  const review = claim.additional_context_ids
    .map((id) => reviews.get(id))
    .find((head) => head?.produced_by_agent === lane);
  const agent = grants.findLast(({ state }) => state !== "cancelled")?.agent;
  if (review === undefined || agent === undefined) return [];
  const reason = review.metadata.summary ?? "";
  return [{ ...goalOf(claim, claim.created_at), waits_for: "rework", agent, reason }];
}

function goalOf({ goal_id, artefact_id, id: claim_id }: Claim, since: string): LaneGoal {
  return { goal_id, artefact_id, claim_id, since };
}

function bySince(one: LaneGoal, other: LaneGoal): number {
  return one.since === other.since ? 0 : one.since < other.since ? -1 : 1;
}
