// sett approve: posts a person's approval.

import { watchToEnd } from "../goals/watch-goal.ts";
import { postVerdict, verdictArguments } from "../people/post-verdict.ts";
import { defineCommand } from "../program/command.ts";
import { readCommentText } from "../program/read-text.ts";

export const approve = defineCommand({
  name: "approve",
  description: "approve an artefact that waits for a person's verdict",
  details: [
    "For artefacts that an agent with `human: true` in sett.yml must review; `sett questions` lists them. Prints the Review's id.",
    "The Review records your name, and the digest of the content that you approved. The first verdict counts.",
  ].join("\n"),
  args: {
    ...verdictArguments,
    reason: {
      type: "string",
      alias: "r",
      valueHint: "TEXT",
      description: "what you say with it, on record; - reads it from stdin",
    },
  },
  examples: [
    "sett unearth 1a2b3c4d  # show the artefact first",
    "sett approve 1a2b3c4d",
    'sett approve 1a2b3c4d --reason "Good, and faster than before" --watch',
    'sett approve 1a2b3c4d --for maintainer --as "Ada Lovelace"',
  ],
  async run(args, shell) {
    const reason =
      args.reason === undefined ? undefined : await readCommentText(args.reason, shell);
    const posted = await postVerdict(args, { approves: true, reason }, shell);
    const mayAsk = args.reason !== "-";
    return args.watch ? await watchToEnd(shell, { ...posted, mayAsk }) : undefined;
  },
});
