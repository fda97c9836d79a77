// sett revert: takes back what a goal has brought onto a lane.

import { readObstacle } from "../../../lib/client/actions/obstacle.ts";
import { revertGoal } from "../../../lib/client/actions/revert-goal.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { openRepository } from "../instance/open-repository.ts";
import { openSession } from "../instance/session.ts";
import { noteObstacle } from "../people/note-obstacle.ts";
import { personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const revert = defineCommand({
  name: "revert",
  description: "take back what a goal has brought onto a lane",
  details: [
    "Makes a commit of yours on the tip of the lane that takes back all that the goal has landed there, and posts it in the",
    "same goal: agents and people review it, and the lane merges it, as any other result. Your branches and files stay as",
    "they are. Where an earlier one was rejected, or has not landed yet, it is the next version of that one.",
  ].join("\n"),
  args: {
    goal: {
      type: "positional",
      required: true,
      description: "a goal that has landed; 6 or more characters of its id are enough",
    },
    lane: {
      type: "string",
      valueHint: "LANE",
      description: "the lane, where the goal has landed on several",
    },
    commit: {
      type: "string",
      valueHint: "COMMIT",
      description: "the commit that takes it back, where you have made it by hand",
    },
    ...personArguments,
  },
  examples: [
    "sett revert 9f3a12b4",
    "sett revert 9f3a12b4 --lane main",
    "sett revert 9f3a12b4 --commit HEAD  # made by hand, on the tip of the lane",
  ],
  // It must not end between the kept commit and the artefact.
  endsItself: true,
  async run(args, shell) {
    const { suggest, messages } = shell;
    await using session = await openSession(shell, args.name);
    const { board, place } = session;
    const hint = "Go to the repository on which agents work.";
    const repository = await openRepository(place, shell, hint);
    const goal = await resolveGoalId(board, args.goal, suggest);
    const [actor, obstacle, commit] = await Promise.all([
      session.actor(args.as),
      readObstacle(board, suggest),
      args.commit === undefined ? undefined : repository.resolve(args.commit),
    ]);
    const { posted, lane, reverts } = await revertGoal(
      board,
      repository,
      {
        ...{ goal, lane: args.lane, commit, actor, suggest, signal: shell.interrupted },
        onSlow: messages.note,
      },
      () => fetchResults(shell, place.workspace, () => readResults(board), "count"),
    );
    const json = { id: posted.id, goal, lane, commit: posted.metadata.commit, reverts };
    await shell.out.write(args.json ? `${JSON.stringify(json)}\n` : `${posted.id}\n`);
    const version = posted.version > 1 ? ` version ${posted.version}` : "";
    const what = reverts.length === 1 ? "1 commit" : `${reverts.length} commits`;
    messages.done(
      `Posted ${typeText(posted.type)}${version} in goal ${shortId(goal)}, which takes back ${what} of the lane ${lane}.`,
    );
    noteObstacle(obstacle, shell, "it");
    messages.next(`Follow it to the lane: ${suggest(`watch --goal ${shortId(goal)}`)}`);
    return undefined;
  },
});
