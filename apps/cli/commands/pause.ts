// sett pause: from here on nothing new is granted or started.
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { openAsPerson } from "../instance/open-as-person.ts";
import { naming } from "../render/name-flag.ts";
import { request } from "../instance/request.ts";

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
    await using opened = await openAsPerson(shell, args.name, args.as);
    const { board, actor } = opened;
    await request(shell, opened, {
      draft: { type: "pause_requested" },
      actor,
      hear: (event) => (event.type === "instance_paused" && event.data?.by === actor ? event : undefined),
    });
    if (args.json)
      await shell.out.write(`${JSON.stringify({ instance: board.instance, paused: (await board.readPause()) ?? null })}\n`);
    else shell.messages.done(`${board.instance} is paused: what has begun goes on to its end, and nothing new is started.`);
    shell.messages.next(`Go on: sett resume${naming(args.name)}`);
    return;
  },
});
