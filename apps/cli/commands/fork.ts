// sett fork: posts a goal that begins with an artefact.

import { forkArtefact } from "../../../lib/client/actions/fork-artefact.ts";
import { readObstacle } from "../../../lib/client/actions/obstacle.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { openRepository } from "../instance/open-repository.ts";
import { openSession } from "../instance/session.ts";
import { noteObstacle } from "../people/note-obstacle.ts";
import { receiptFor, signArguments, signerFor } from "../people/sign-act.ts";
import { personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { readGoalText } from "../program/read-text.ts";

export const fork = defineCommand({
  name: "fork",
  description: "post a goal that begins with an artefact and its commit",
  details: [
    "Prints the new goal's id. Its work begins at the commit of the artefact, in exactly this version, and agents read the",
    "artefact and all that it came from as context. The record says from what it was forked: the artefact is the goal's",
    "source. The goal of the artefact stays as it is. Without --goal, the new goal has the text of that one.",
  ].join("\n"),
  args: {
    artefact: {
      type: "positional",
      required: true,
      description: "the artefact's id; 6 or more characters are enough",
    },
    goal: {
      type: "string",
      alias: "g",
      valueHint: "TEXT",
      description: "what is to be done; - reads it from stdin",
    },
    ...signArguments,
    ...personArguments,
  },
  examples: ["sett fork 9f3a12b4", 'sett fork 9f3a12b4 --goal "The same in blue"'],
  // It must not end between the pin and the goal.
  endsItself: true,
  async run(args, shell) {
    const { suggest, messages } = shell;
    const text = args.goal === undefined ? undefined : await readGoalText(args.goal, shell);
    using receipt = await receiptFor(args, shell);
    await using session = await openSession(shell, args.name);
    const { board, place } = session;
    const hint = "Go to the repository on which agents work.";
    const repository = await openRepository(place, shell, hint);
    const [actor, obstacle] = await Promise.all([
      session.actor(args.as),
      readObstacle(board, suggest),
    ]);
    const sign = await signerFor(args, place, shell);
    const { goal, from, commit } = await forkArtefact(
      board,
      repository,
      { artefact: args.artefact, text, id: undefined, actor, suggest, sign },
      () => fetchResults(shell, place.workspace, () => readResults(board), "count"),
    );
    const summary = goal.metadata.summary;
    const json = { id: goal.id, forked_from: from.id, commit, summary };
    await shell.out.write(args.json ? `${JSON.stringify(json)}\n` : `${goal.id}\n`);
    const name = `${typeText(from.type)} ${shortId(from.id)}`;
    messages.done(`Posted a goal that begins with ${name}, at commit ${commit.slice(0, 12)}.`);
    noteObstacle(obstacle, shell);
    await receipt?.keep(goal);
    messages.next(`Follow the goal: ${suggest(`watch --goal ${shortId(goal.id)}`)}`);
    return undefined;
  },
});
