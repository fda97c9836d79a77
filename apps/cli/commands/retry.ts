// sett retry: opens a new claim in place of one that ended with a Failure.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { retryFailure } from "../../../lib/client/actions/control.ts";
import { readObstacle } from "../../../lib/client/actions/obstacle.ts";
import { resolveFailure } from "../../../lib/client/facts/resolve-id.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { exitCodes } from "../../../lib/model/errors.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { exitCodeOf } from "../goals/follow-goal.ts";
import { watchGoal } from "../goals/watch-goal.ts";
import { askerOf } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import type { Shell } from "../terminal/shell.ts";

export const retry = defineCommand({
  name: "retry",
  description: "retry a claim that ended with a Failure",
  details: [
    "Prints the id of the new claim. Results of the old claim stay. Agents that failed, and agents whose work was cancelled",
    "because of that, start again, and the later phases follow. A Failure can be retried once. Exit code 1 when the",
    "orchestrator refuses, and when no orchestrator is running: it acts on the recorded request when it runs again.",
    "With --watch: then follows the goal as `sett forage --watch` does, with its exit codes.",
  ].join("\n"),
  args: {
    failure: {
      type: "positional",
      required: true,
      description:
        "the Failure's id, or that of a goal that has one; 6 or more characters are enough",
    },
    watch: { type: "boolean", alias: "w", description: "then follow the goal until it rests" },
    ...personArguments,
  },
  examples: ["sett retry 5c0ffee1", "sett hoard --type ToolExecutionFailure  # lists the Failures"],
  async run(args, shell) {
    const { place, goal, from, actor } = await retryOnBlackboard(args, shell);
    if (!args.watch) return;
    const reading = await watchGoal(shell, { place, goal, from, actor, mayAsk: true });
    return reading === undefined ? exitCodes.interrupted : exitCodeOf(reading.status.state);
  },
});

type RetryArguments = {
  failure: string;
  watch: boolean;
  as: string | undefined;
  json: boolean;
  name: string | undefined;
};

/** Retries, and says so. The connection ends with it: `--watch` opens one of its own. */
async function retryOnBlackboard(args: RetryArguments, shell: Shell) {
  await using session = await openSession(shell, args.name);
  const { board, place } = session;
  const [from, actor] = await Promise.all([board.endOfEvents(), session.actor(args.as)]);
  const ended = await resolveFailure(board, args.failure, shell.suggest);
  const { id: failure, goal_id: goal } = ended;
  const { claim } = await retryFailure(askerOf(shell, session), ended, actor);
  await shell.out.write(
    args.json ? `${JSON.stringify({ id: claim, failure, goal_id: goal })}\n` : `${claim}\n`,
  );
  const [where, obstacle] = await Promise.all([
    whereFrom(board, ended),
    readObstacle(board, shell.suggest),
  ]);
  const when = obstacle === undefined ? "" : `; work begins ${obstacle.until}`;
  shell.messages.done(
    `${typeText(ended.type)} ${shortId(failure)} is retried as claim ${shortId(claim)}${where}${when}.`,
  );
  if (obstacle !== undefined) shell.messages.next(obstacle.next);
  if (!args.watch)
    shell.messages.next(`Follow the goal: ${shell.suggest(`watch --goal ${shortId(goal)}`)}`);
  return { place, goal, from, actor };
}

/**
 * `, from the review phase on, by coder and linter`: the agents that had not finished in the claim
 * that failed.
 */
async function whereFrom(board: PersonBlackboard, { id, claim_id }: Artefact): Promise<string> {
  const grants = (claim_id === "" ? undefined : await board.readClaim(claim_id))?.grants ?? [];
  const lost = grants.find((grant) => grant.state === "failed" && grant.artefact_ids.includes(id));
  if (lost === undefined) return "";
  const agents = grants.flatMap(({ agent, state }) => (state === "done" ? [] : [agent]));
  return `, from the ${lost.phase} phase on, by ${agents.join(" and ")}`;
}
