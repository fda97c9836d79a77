// sett approve: a person's approval of what waits for it.

import { giveVerdict, verdictArguments } from "../people/give-verdict.ts";
import { defineCommand } from "../program/command.ts";

export const approve = defineCommand({
  name: "approve",
  description: "approve what waits for a person's judgement",
  details: [
    "For artefacts that an agent with `human: true` in sett.yml is to review; `sett status` shows them. Prints the Review's id.",
    "The Review records who you are, and the digest of the content that you have approved. The first word counts.",
  ].join("\n"),
  args: verdictArguments,
  examples: [
    "sett unearth 1a2b3c4d  # look at it first",
    "sett approve 1a2b3c4d",
    'sett approve 1a2b3c4d --for maintainer --as "Ada Lovelace"',
  ],
  run: (args, shell) => giveVerdict(args, undefined, shell).then(() => undefined),
});
