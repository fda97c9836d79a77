// sett cancel: cancels a goal; the orchestrator terminates its open claims, and cubs stop the
// commands that work on them.
import { cancelGoal } from "../../../lib/client/actions/control.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { askerOf } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const cancel = defineCommand({
  name: "cancel",
  description: "cancel a goal and all work on it",
  details: [
    "Returns when the goal's open claims have ended. Agents stop their commands within seconds, and results that come later",
    "are refused. Exit code 1 when the goal is at rest already, and when no orchestrator is running: it acts on the recorded",
    "request when it runs again.",
  ].join("\n"),
  args: {
    goal: {
      type: "positional",
      required: true,
      description: "the goal's id; 6 or more characters are enough",
    },
    ...personArguments,
  },
  examples: ["sett cancel 9f3a12b4", 'sett cancel 9f3a12b4 --as "Ada Lovelace"'],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    const goal = await resolveGoalId(board, args.goal, shell.suggest);
    const { claims, agents, unreadable } = await cancelGoal(askerOf(shell, session), goal, actor);
    if (args.json) {
      await shell.out.write(
        `${JSON.stringify({ id: goal, state: "cancelled", claims, agents, unreadable })}\n`,
      );
      return;
    }
    const count =
      claims === 0
        ? "it had no open claims"
        : claims === 1
          ? "1 claim has ended"
          : `${claims} claims have ended`;
    const work =
      agents.length === 0
        ? ""
        : `, and with ${claims === 1 ? "it" : "them"} the work of ${agents.join(", ")}`;
    const [first] = unreadable;
    if (claims > 0 || first === undefined)
      shell.messages.done(`Goal ${shortId(goal)} was cancelled: ${count}${work}.`);
    else shell.messages.done(`Goal ${shortId(goal)} was cancelled.`);
    if (first === undefined) return;
    const which = `${unreadable.length === 1 ? "Claim" : "Claims"} ${unreadable.map(shortId).join(", ")}`;
    shell.messages.warn(
      `${which} cannot be read, and ${unreadable.length === 1 ? "ends" : "end"} when a person has repaired ${unreadable.length === 1 ? "it" : "them"}: \`${shell.suggest("status")}\` says what is wrong.`,
    );
    return;
  },
});
