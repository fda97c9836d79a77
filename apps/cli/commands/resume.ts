// sett resume: the orchestrator grants the work that has waited since `sett pause`.

import { resumeInstance } from "../../../lib/client/actions/control.ts";
import { askerOf } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const resume = defineCommand({
  name: "resume",
  description: "start work again after `sett pause`",
  details:
    "Exit code 1 when the instance is not paused, and when no orchestrator is running: it acts on the recorded request when it runs again.",
  args: { as: asArgument, json: jsonArgument, name: nameArgument },
  examples: ["sett resume", "sett resume --name demo"],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    await resumeInstance(askerOf(shell, session), actor);
    if (args.json)
      await shell.out.write(`${JSON.stringify({ instance: board.instance, paused: null })}\n`);
    else shell.messages.done(`${board.instance} is resumed.`);
    return;
  },
});
