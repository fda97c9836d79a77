// sett tell: a person's words to work that goes on.
import { postRemark, resolveHearer } from "../../../lib/client/actions/post-remark.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { actorName } from "../../../lib/words/actor-name.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { openSession } from "../instance/session.ts";
import { personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { readRemarkText } from "../program/read-text.ts";

export const tell = defineCommand({
  name: "tell",
  description: "tell the work on a goal, or on one claim, something",
  details: [
    "Your words are on record as yours, and among the inputs of every grant that begins then: of the goal, until it rests,",
    "or of that claim. A command that is running finds them in a file, within some seconds: Sett's built-in worker,",
    "Claude Code, Codex, opencode, pi and Qwen Code get them after their next tool, others where they read it. At most 20000 characters.",
    "Refused where no work goes on that could hear you.",
  ].join("\n"),
  args: {
    work: {
      type: "positional",
      required: true,
      description: "the id of a goal, or of an open claim; 6 or more characters are enough",
    },
    text: {
      type: "positional",
      required: true,
      description: "what you say; `-` reads it from stdin",
    },
    ...personArguments,
  },
  examples: ['sett tell 9f3a12b4 "Leave the tests as they are"', "sett tell 9f3a12b4 - < notes.md"],
  async run(args, shell) {
    const text = await readRemarkText(args.text, shell);
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    const { suggest } = shell;
    const hearer = await resolveHearer(board, args.work, suggest);
    const { words, claims } = await postRemark(board, hearer, { text, actor, suggest });
    const { payload: _, ...rest } = words;
    await shell.out.write(args.json ? `${JSON.stringify({ ...rest, claims })}\n` : `${words.id}\n`);
    const work =
      hearer.claim === undefined
        ? `goal ${shortId(hearer.goal)}`
        : `claim ${shortId(hearer.claim)} of goal ${shortId(hearer.goal)}`;
    shell.messages.done(`${oneLine(actorName(actor))} has said it to ${work}.`);
    shell.messages.note("Grants that begin from now on have it among their inputs.");
  },
});
