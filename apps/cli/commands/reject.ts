// sett reject: posts a person's feedback, which goes back to the agent that made the artefact.

import { watchToEnd } from "../goals/watch-goal.ts";
import { postVerdict, verdictArguments } from "../people/post-verdict.ts";
import { defineCommand } from "../program/command.ts";
import { readReasonText } from "../program/read-text.ts";

export const reject = defineCommand({
  name: "reject",
  description: "reject an artefact that waits for a person's verdict",
  details: [
    "For artefacts that an agent with `human: true` in sett.yml must review; `sett questions` lists them. Prints the Review's",
    "id. The agent that made the artefact makes the next version, with your reason among its inputs, at most",
    "`limits.review_rounds` times. The first verdict counts.",
  ].join("\n"),
  args: {
    ...verdictArguments,
    reason: {
      type: "string",
      alias: "r",
      required: true,
      valueHint: "TEXT",
      description: "what must be better; - reads it from stdin",
    },
  },
  examples: [
    'sett reject 1a2b3c4d --reason "The date is wrong"',
    "sett reject 1a2b3c4d --reason - < review.md",
  ],
  async run(args, shell) {
    const reason = await readReasonText(args.reason, shell);
    const posted = await postVerdict(args, { approves: false, reason }, shell);
    // After a reason from stdin, stdin has ended and no person can type.
    const mayAsk = args.reason !== "-";
    return args.watch ? await watchToEnd(shell, { ...posted, mayAsk }) : undefined;
  },
});
