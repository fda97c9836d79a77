// A person asks these of the orchestrator: cancel a goal, pause and resume it or the instance,
// retry a claim that has failed.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { GoalState } from "../../core/goal-status.ts";
import type { Artefact } from "../../model/artefact.ts";
import type { Actor, SettEvent } from "../../model/event.ts";
import type { AgentName, ClaimId, GoalId } from "../../model/ids.ts";
import { shortId } from "../../words/short-id.ts";
import { readGoalState } from "../facts/goal.ts";
import { type Asker, refusal, request } from "./request.ts";

const canBeCancelled = new Set<GoalState>(["running", "waiting"]);

/**
 * `agents`: whose work has ended with it. `unreadable`: open claims of the goal that a person has
 * broken by hand.
 */
export type CancelledGoal = { claims: number; agents: AgentName[]; unreadable: ClaimId[] };

/**
 * Returns when the goal's open claims have ended. Throws `request-refused` for a goal at rest, and
 * as `request`.
 */
export async function cancelGoal(asker: Asker, goal: GoalId, actor: Actor): Promise<CancelledGoal> {
  const { board, suggest } = asker;
  const { state } = (await readGoalState(board, goal)).status;
  if (!canBeCancelled.has(state)) {
    throw refusal(
      `Goal ${shortId(goal)} is ${state}: there is no work to cancel.`,
      `${suggest(`watch --no-follow --goal ${shortId(goal)}`)}`,
    );
  }
  let endedAt: string | undefined;
  return await request(asker, {
    draft: { type: "cancel_requested", goal_id: goal },
    actor,
    async outcomeOf(event, current) {
      if (event.goal_id !== goal) return undefined;
      if (event.type === "goal_ended" && event.data?.by === actor) endedAt = event.id;
      if (endedAt === undefined || (await hasOpenClaims(current, goal))) return undefined;
      return await whatEnded(current, goal, endedAt);
    },
  });
}

/** From now on no new work starts. Throws as `request`. */
export async function pauseInstance(asker: Asker, actor: Actor): Promise<void> {
  await request(asker, {
    draft: { type: "pause_requested" },
    actor,
    outcomeOf: (event) =>
      event.type === "instance_paused" && event.data?.by === actor ? event : undefined,
  });
}

/** The work that has waited since the pause starts. Throws as `request`. */
export async function resumeInstance(asker: Asker, actor: Actor): Promise<void> {
  await request(asker, {
    draft: { type: "resume_requested" },
    actor,
    outcomeOf: (event) =>
      event.type === "instance_resumed" && event.data?.by === actor ? event : undefined,
  });
}

/** From now on none of the goal's new work begins. Throws as `cancelGoal`. */
export async function pauseGoal(asker: Asker, goal: GoalId, actor: Actor): Promise<void> {
  const { state } = (await readGoalState(asker.board, goal)).status;
  if (!canBeCancelled.has(state))
    throw refusal(
      `Goal ${shortId(goal)} is ${state}: there is no work to pause.`,
      `${asker.suggest(`watch --no-follow --goal ${shortId(goal)}`)}`,
    );
  await request(asker, {
    draft: { type: "pause_requested", goal_id: goal },
    actor,
    outcomeOf: (event) =>
      event.type === "goal_paused" && event.goal_id === goal && event.data?.by === actor
        ? event
        : undefined,
  });
}

/** The goal's work that has waited since the pause begins. Throws as `request`. */
export async function resumeGoal(asker: Asker, goal: GoalId, actor: Actor): Promise<void> {
  await request(asker, {
    draft: { type: "resume_requested", goal_id: goal },
    actor,
    outcomeOf: (event) =>
      event.type === "goal_resumed" && event.goal_id === goal && event.data?.by === actor
        ? event
        : undefined,
  });
}

/** Opens a claim in place of the one that ended with this Failure. Throws as `request`. */
export async function retryFailure(
  asker: Asker,
  { id: failure, goal_id: goal }: Pick<Artefact, "id" | "goal_id">,
  actor: Actor,
): Promise<{ claim: ClaimId }> {
  return await request(asker, {
    draft: { type: "retry_requested", artefact_id: failure, goal_id: goal },
    actor,
    outcomeOf: ({ type, data, claim_id }) =>
      type === "claim_opened" && data?.cause === `retry:${failure}` && claim_id !== undefined
        ? { claim: claim_id }
        : undefined,
  });
}

async function hasOpenClaims(board: PersonBlackboard, goal: GoalId): Promise<boolean> {
  const open = await board.readClaims(await board.listOpenClaims());
  return open.some(({ claim }) => claim.goal_id === goal);
}

/** A claim ends in one step with its event, so the log contains all of them by now. */
async function whatEnded(
  board: PersonBlackboard,
  goal: GoalId,
  from: string,
): Promise<CancelledGoal> {
  const events: SettEvent[] = [];
  for (let last: string | undefined = from; last !== undefined; ) {
    const page: SettEvent[] = await board.readEvents(last, 500);
    events.push(...page.filter((event) => event.goal_id === goal));
    last = page.at(-1)?.id;
  }
  const agents = events.flatMap(({ type, agent }) =>
    type === "grant_cancelled" && agent !== undefined ? [agent] : [],
  );
  const unreadable: ClaimId[] = [];
  await board.readClaims(await board.listOpenClaims(), (one) => {
    if (one.goal === goal) unreadable.push(one.claim);
  });
  return {
    claims: events.filter(({ type }) => type === "claim_terminated").length,
    agents: [...new Set(agents)],
    unreadable,
  };
}
