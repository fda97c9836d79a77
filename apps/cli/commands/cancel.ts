// sett cancel: cancels a goal; the orchestrator terminates its open claims, and cubs stop the commands that work on them.
import type { PersonBlackboard } from "../../../lib/blackboard/holders.ts";
import type { GoalState } from "../../../lib/core/goal-status.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { AgentName, ClaimId, GoalId } from "../../../lib/model/ids.ts";
import { readGoal } from "../facts/goal.ts";
import { resolveGoalId } from "../facts/resolve-id.ts";
import { refusal, request } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { shortId } from "../text/short-id.ts";

const canBeCancelled = new Set<GoalState>(["running", "waiting"]);

export const cancel = defineCommand({
  name: "cancel",
  description: "cancel a goal and all work on it",
  details: [
    "Returns when the goal's open claims have ended. Agents stop their commands within seconds, and results that come later",
    "are refused. Exit code 1 when the goal is at rest already, and when no orchestrator is running: it acts on the recorded",
    "request when it runs again.",
  ].join("\n"),
  args: {
    goal: { type: "positional", required: true, description: "the goal's id; 6 or more characters are enough" },
    as: asArgument,
    json: jsonArgument,
    name: nameArgument,
  },
  examples: ["sett cancel 9f3a12b4", 'sett cancel 9f3a12b4 --as "Ada Lovelace"'],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    const goal = await resolveGoalId(board, args.goal, shell.suggest);
    const { state } = (await readGoal(board, goal)).status;
    if (!canBeCancelled.has(state)) {
      throw refusal(
        `Goal ${shortId(goal)} is ${state}: there is no work to cancel.`,
        `${shell.suggest(`watch --no-follow --goal ${shortId(goal)}`)}`,
      );
    }
    let endedAt: string | undefined;
    const { claims, agents, unreadable } = await request(shell, session, {
      draft: { type: "cancel_requested", goal_id: goal },
      actor,
      async outcomeOf(event, current) {
        if (event.goal_id !== goal) return undefined;
        if (event.type === "goal_ended" && event.data?.by === actor) endedAt = event.id;
        if (endedAt === undefined || (await hasOpenClaims(current, goal))) return undefined;
        return await whatEnded(current, goal, endedAt);
      },
    });
    if (args.json) {
      await shell.out.write(`${JSON.stringify({ id: goal, state: "cancelled", claims, agents, unreadable })}\n`);
      return;
    }
    const count = claims === 0 ? "it had no open claims" : claims === 1 ? "1 claim has ended" : `${claims} claims have ended`;
    const work = agents.length === 0 ? "" : `, and with ${claims === 1 ? "it" : "them"} the work of ${agents.join(", ")}`;
    const [first] = unreadable;
    if (claims > 0 || first === undefined) shell.messages.done(`Goal ${shortId(goal)} was cancelled: ${count}${work}.`);
    else shell.messages.done(`Goal ${shortId(goal)} was cancelled.`);
    if (first === undefined) return;
    const which = `${unreadable.length === 1 ? "Claim" : "Claims"} ${unreadable.map(shortId).join(", ")}`;
    shell.messages.warn(
      `${which} cannot be read, and ${unreadable.length === 1 ? "ends" : "end"} when a person has repaired ${unreadable.length === 1 ? "it" : "them"}: \`${shell.suggest("status")}\` says what is wrong.`,
    );
    return;
  },
});

async function hasOpenClaims(board: PersonBlackboard, goal: GoalId): Promise<boolean> {
  const open = await board.readClaims(await board.listOpenClaims());
  return open.some(({ claim }) => claim.goal_id === goal);
}

/** `unreadable`: open claims of the goal that a person has broken by hand. */
type Ended = { claims: number; agents: AgentName[]; unreadable: ClaimId[] };

/** A claim ends in one step with its event, so the log contains all of them by now. */
async function whatEnded(board: PersonBlackboard, goal: GoalId, from: string): Promise<Ended> {
  const events: SettEvent[] = [];
  for (let last: string | undefined = from; last !== undefined; ) {
    const page: SettEvent[] = await board.readEvents(last, 500);
    events.push(...page.filter((event) => event.goal_id === goal));
    last = page.at(-1)?.id;
  }
  const agents = events.flatMap(({ type, agent }) => (type === "grant_cancelled" && agent !== undefined ? [agent] : []));
  const unreadable: ClaimId[] = [];
  await board.readClaims(await board.listOpenClaims(), (one) => {
    if (one.goal === goal) unreadable.push(one.claim);
  });
  return { claims: events.filter(({ type }) => type === "claim_terminated").length, agents: [...new Set(agents)], unreadable };
}
