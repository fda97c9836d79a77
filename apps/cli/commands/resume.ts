// sett resume: what has waited since `sett pause` is granted and started.

import { request } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const resume = defineCommand({
  name: "resume",
  description: "go on after `sett pause`",
  details:
    "Exit code 1 when it is not paused, and while no orchestrator acts: the request is recorded, and acted on when one is back.",
  args: { as: asArgument, json: jsonArgument, name: nameArgument },
  examples: ["sett resume", "sett resume --name demo"],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    await request(shell, session, {
      draft: { type: "resume_requested" },
      actor,
      hear: (event) => (event.type === "instance_resumed" && event.data?.by === actor ? event : undefined),
    });
    if (args.json) await shell.out.write(`${JSON.stringify({ instance: board.instance, paused: null })}\n`);
    else shell.messages.done(`${board.instance} goes on.`);
    return;
  },
});
