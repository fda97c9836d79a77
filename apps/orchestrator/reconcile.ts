// Decides about every open claim again, as it is stored: for what has no event, and for events that were lost.

import type { GoalEnding } from "../../lib/blackboard/artefact-port.ts";
import type { LeaderBlackboard } from "../../lib/blackboard/holders.ts";
import type { ClaimEvent } from "../../lib/core/claim-decision.ts";
import { type ClaimSnapshot, questionOf } from "../../lib/model/claim.ts";
import type { AgentName, ClaimId, GoalId } from "../../lib/model/ids.ts";
import { silentAfterMs } from "../../lib/model/leases.ts";
import type { Decider } from "./decide-and-commit.ts";
import type { Deps } from "./deps.ts";
import type { Questions } from "./questions.ts";
import type { SilenceClock } from "./silence-clock.ts";

/** Few enough that the work of events is hardly delayed. */
const claimsAtOnce = 100;

/**
 * Decides about every open claim, each by itself; harmless where there is nothing to do. `mayJudge`: contact has lasted so long that an
 * agent whose bid is overdue, or that is silent, has had its chance. A deadline that has passed counts again: registrations may have
 * changed since.
 */
export async function reconcileClaims(
  { board, clock, policy }: Pick<Deps, "board" | "clock" | "policy">,
  { decider, questions, silence }: { decider: Decider; questions: Questions; silence: SilenceClock },
  epoch: number,
  mayJudge: boolean,
): Promise<void> {
  const toleratedMs = Math.max(policy.bid_deadline_ms, silentAfterMs);
  const claims = await board.listOpenClaims();
  for (let from = 0; from < claims.length; from += claimsAtOnce) {
    const some = claims.slice(from, from + claimsAtOnce);
    const readOn = board.connectionNumber();
    const snapshots = await board.readClaims(some);
    const endings = await readEndings(board, snapshots);
    const silent = await findSilent(board, silence, snapshots, clock.passedMs());
    const events = new Map<ClaimId, ClaimEvent>();
    for (const { claim } of snapshots) {
      const ending = endings.get(claim.goal_id);
      const dueMs = Date.parse(claim.created_at) + policy.bid_deadline_ms;
      const isOverdue = claim.bidding === "open" && clock.now().getTime() >= dueMs;
      if (ending !== undefined) events.set(claim.id, { kind: "goal_ended", reason: endingReason(ending) });
      else if (mayJudge && isOverdue) events.set(claim.id, { kind: "bid_deadline" });
      const silentAgent = silent.get(claim.id);
      if (ending === undefined && mayJudge && silentAgent !== undefined && silentAgent.forMs >= toleratedMs)
        events.set(claim.id, { kind: "agent_silent", ...silentAgent });
    }
    await decider.decideEach(some, (claim) => events.get(claim) ?? { kind: "progress" }, epoch, { readOn });
    await questions.settleQuestions(
      snapshots.flatMap(({ grants }) => grants.map(questionOf)).filter((id) => id !== undefined),
      epoch,
    );
  }
}

/** For claims that another agent may take over: the agent that has not begun its work, and for how long it has been silent. */
async function findSilent(
  board: LeaderBlackboard,
  silence: SilenceClock,
  snapshots: readonly ClaimSnapshot[],
  nowMs: number,
): Promise<Map<ClaimId, { agent: AgentName; forMs: number }>> {
  const queued = snapshots.flatMap(({ claim, grants }) =>
    claim.kind === "rework" || claim.kind === "clarification"
      ? grants.filter(({ state }) => state === "queued").map(({ agent }) => [claim.id, agent] as const)
      : [],
  );
  const statuses = queued.length === 0 ? undefined : await board.listStatuses();
  return new Map(queued.map(([id, agent]) => [id, { agent, forMs: silence.silentForMs(agent, statuses?.get(agent), nowMs) }]));
}

/** The endings of goals that were ended while one of their claims could not be read. */
async function readEndings(board: LeaderBlackboard, snapshots: readonly ClaimSnapshot[]): Promise<Map<GoalId, GoalEnding>> {
  const goals = [...new Set(snapshots.map(({ claim }) => claim.goal_id))];
  const records = await Promise.all(goals.map((goal) => board.readGoal(goal)));
  return new Map(
    goals.flatMap((goal, index) => {
      const ended = records[index]?.ended;
      return ended === undefined ? [] : [[goal, ended] as const];
    }),
  );
}

/** The reason that a claim of an ended goal is terminated with. */
export function endingReason(ending: GoalEnding): string {
  return ending === "artefact_limit"
    ? "The goal was ended: it has more artefacts than limits.artefacts_per_goal allows."
    : "The goal was cancelled.";
}
