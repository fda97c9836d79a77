// sett resume: the orchestrator grants the work that has waited since `sett pause`.

import { resumeGoal, resumeInstance } from "../../../lib/client/actions/control.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { askerOf } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { pausedGoal, personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const resume = defineCommand({
  name: "resume",
  description: "start work again, or that of a goal, after `sett pause`",
  details:
    "With a goal, only its own pause ends. Exit code 1 when the instance, or the goal, is not paused, and when no orchestrator is running: it acts on the recorded request when it runs again.",
  args: { goal: pausedGoal, ...personArguments },
  examples: ["sett resume", "sett resume 9f3a12b4"],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    if (args.goal !== undefined) {
      const goal = await resolveGoalId(board, args.goal, shell.suggest);
      await resumeGoal(askerOf(shell, session), goal, actor);
      if (args.json) await shell.out.write(`${JSON.stringify({ id: goal, paused: null })}\n`);
      else shell.messages.done(`Goal ${shortId(goal)} is resumed.`);
      return;
    }
    await resumeInstance(askerOf(shell, session), actor);
    if (args.json)
      await shell.out.write(`${JSON.stringify({ instance: board.instance, paused: null })}\n`);
    else shell.messages.done(`${board.instance} is resumed.`);
    return;
  },
});
