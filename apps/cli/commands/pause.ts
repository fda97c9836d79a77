// sett pause: from now on the orchestrator grants no work, and agents start none.

import { pauseInstance } from "../../../lib/client/actions/control.ts";
import { askerOf } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const pause = defineCommand({
  name: "pause",
  description: "start no new work until `sett resume`",
  details: [
    "Running work goes on to its end, and its results count. Meanwhile you can post goals, answer questions and approve work;",
    "agents bid on new claims, but the orchestrator grants no work. Exit code 1 when the instance is paused already, and when",
    "no orchestrator is running: it acts on the recorded request when it runs again.",
  ].join("\n"),
  args: { as: asArgument, json: jsonArgument, name: nameArgument },
  examples: ["sett pause", "sett pause --name demo"],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
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
