// sett reject: a person's feedback, which goes back to whoever made the artefact.

import { giveVerdict, verdictArguments } from "../people/give-verdict.ts";
import { defineCommand } from "../program/command.ts";
import { readReasonText } from "../program/given-text.ts";

export const reject = defineCommand({
  name: "reject",
  description: "send back what waits for a person's judgement, with the reason",
  details: [
    "For artefacts that an agent with `human: true` in sett.yml is to review; `sett status` shows them. Prints the Review's id.",
    "Whoever made it makes the next version, with your reason before its eyes, at most `limits.review_rounds` times. The first word counts.",
  ].join("\n"),
  args: {
    ...verdictArguments,
    reason: {
      type: "string",
      alias: "r",
      required: true,
      valueHint: "TEXT",
      description: "what is to be done better; - reads it from stdin",
    },
  },
  examples: ['sett reject 1a2b3c4d --reason "The date is wrong"', "sett reject 1a2b3c4d --reason - < review.md"],
  async run(args, shell) {
    await giveVerdict(args, await readReasonText(args.reason, shell), shell);
    return;
  },
});
