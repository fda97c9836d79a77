// sett pause: from now on the orchestrator grants no work, and agents start none: of one goal, or
// at all.
import { pauseGoal, pauseInstance } from "../../../lib/client/actions/control.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { askerOf } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { pausedGoal, personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const pause = defineCommand({
  name: "pause",
  description: "start no new work, or none of a goal, until `sett resume`",
  details: [
    "Running work goes on to its end, and its results count. Meanwhile you can post goals, answer questions and approve work;",
    "agents bid on new claims, but the orchestrator grants no work. With a goal, only its own work waits, and a lane lets",
    "others go before it. Exit code 1 when the instance, or the goal, is paused already, when the goal is at rest, and when",
    "no orchestrator is running: it acts on the recorded request when it runs again.",
  ].join("\n"),
  args: { goal: pausedGoal, ...personArguments },
  examples: ["sett pause", "sett pause 9f3a12b4"],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    if (args.goal !== undefined) {
      const goal = await resolveGoalId(board, args.goal, shell.suggest);
      await pauseGoal(askerOf(shell, session), goal, actor);
      const paused = (await board.readPausedGoals()).get(goal) ?? null;
      if (args.json) await shell.out.write(`${JSON.stringify({ id: goal, paused })}\n`);
      else
        shell.messages.done(
          `Goal ${shortId(goal)} is paused: running work goes on to its end, and no new work of it starts.`,
        );
      shell.messages.next(`Resume it: ${shell.suggest(`resume ${shortId(goal)}`)}`);
      return;
    }
    await pauseInstance(askerOf(shell, session), actor);
    if (args.json)
      await shell.out.write(
        `${JSON.stringify({ instance: board.instance, paused: (await board.readPause()) ?? null })}\n`,
      );
    else
      shell.messages.done(
        `${board.instance} is paused: running work goes on to its end, and no new work starts.`,
      );
    shell.messages.next(`Resume it: ${shell.suggest("resume")}`);
    return;
  },
});
