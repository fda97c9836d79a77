// sett pause: from here on nothing new is granted or started.

import { request } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const pause = defineCommand({
  name: "pause",
  description: "start nothing new until `sett resume`",
  details: [
    "Agents that are at work go on to the end of it, and what they deliver counts. Goals may be stated, claims open and bids come in; what would be",
    "granted waits. Questions can be answered and work approved meanwhile.",
    "Exit code 1 when it is paused already, and while no orchestrator acts: the request is recorded, and acted on when one is back.",
  ].join("\n"),
  args: { as: asArgument, json: jsonArgument, name: nameArgument },
  examples: ["sett pause", "sett pause --name demo"],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    await request(shell, session, {
      draft: { type: "pause_requested" },
      actor,
      hear: (event) => (event.type === "instance_paused" && event.data?.by === actor ? event : undefined),
    });
    if (args.json)
      await shell.out.write(`${JSON.stringify({ instance: board.instance, paused: (await board.readPause()) ?? null })}\n`);
    else shell.messages.done(`${board.instance} is paused: what has begun goes on to its end, and nothing new is started.`);
    shell.messages.next(`Go on: ${shell.suggest("resume")}`);
    return;
  },
});
