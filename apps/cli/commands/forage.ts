// sett forage: states a goal.

import type { GoalState } from "../../../lib/core/goal-status.ts";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { aborted } from "../../../lib/service/pause.ts";
import { jsonArgument, nameArgument } from "../arguments.ts";
import { defineCommand } from "../command.ts";
import { fetchResults } from "../fetch-results.ts";
import { exitCodeOf, followGoal, type RestingGoal } from "../follow-goal.ts";
import { readGoalText } from "../goal-text.ts";
import { openBlackboard, type Place } from "../open-blackboard.ts";
import { personOf } from "../person.ts";
import { PersonAtPrompt } from "../person-at-prompt.ts";
import { whyStalled } from "../read-goal.ts";
import { askedDetails, commandsFor } from "../render/asked-text.ts";
import { oneLine } from "../render/plain-text.ts";
import { shortId } from "../render/short-id.ts";
import { paintState } from "../render/state.ts";
import type { Shell } from "../shell.ts";
import { stateGoal } from "../state-goal.ts";

export const forage = defineCommand({
  name: "forage",
  description: "state a goal",
  details: [
    "Prints the goal's id. Agents start from the commit at HEAD, so everything must be committed.",
    "With --watch: follows the goal on stderr until it rests, fetches the commits that came of it, and tells by the exit code",
    "how it ended: 0 achieved or settled, 1 stalled, 3 failed or cancelled, 4 waiting for a person.",
    "On a terminal you are asked what agents want to know, and the goal is followed further.",
  ].join("\n"),
  args: {
    goal: {
      type: "string",
      alias: "g",
      required: true,
      valueHint: "TEXT",
      description: "what is to be done; - reads it from stdin",
    },
    watch: { type: "boolean", alias: "w", description: "follow the goal until it rests" },
    json: jsonArgument,
    name: nameArgument,
  },
  examples: [
    'sett forage --goal "Write the changelog"',
    "sett forage --goal hello --watch",
    "sett forage --goal - < goal.md  # a long goal",
  ],
  // Between the pin and the goal it must not be left standing.
  endsItself: true,
  async run(args, shell) {
    const text = await readGoalText(args.goal, shell);
    const { goal, from, place, actor } = await post(text, args.name, shell);
    const id = goal.goal_id;
    if (!args.watch) {
      await shell.out.write(args.json ? `${JSON.stringify(describe(goal))}\n` : `${id}\n`);
      shell.messages.next(`See what becomes of it: sett watch --goal ${shortId(id)}`);
      return;
    }
    if (!args.json) await shell.out.write(`${id}\n`);
    // Where the goal came from stdin there is nothing left to read.
    const canAsk = shell.isInteractive && shell.env.TERM !== "dumb" && args.goal !== "-";
    using person = canAsk ? new PersonAtPrompt(shell, actor) : undefined;
    // Whoever interrupts is answered at once, also while a Redis that hangs is waited for.
    const reading = await Promise.race([
      followGoal(shell, { name: place.instance, goal: id, from, person }),
      aborted(shell.interrupted).then(() => undefined),
    ]);
    if (reading === undefined) {
      shell.messages.note(`The goal goes on without you: sett watch --goal ${shortId(id)}`);
      return exitCodes.interrupted;
    }
    const { state } = reading.status;
    if (reading.artefacts.some((artefact) => artefact.id !== goal.id && artefact.metadata.commit !== undefined))
      await fetchResults(shell, place.workspace);
    if (args.json)
      await shell.out.write(
        `${JSON.stringify({ ...describe(goal), state, artefacts: reading.artefacts.map((artefact) => artefact.id) })}\n`,
      );
    await conclude(reading, state, { instance: place.instance, isAsked: canAsk }, shell);
    return exitCodeOf(state);
  },
});

/** `from` is where the log stood before. The connection ends here: who follows makes their own, again and again. */
async function post(
  text: string,
  name: string | undefined,
  shell: Shell,
): Promise<{ goal: Artefact; from: string; place: Place; actor: Actor }> {
  await using opened = await openBlackboard(shell, name);
  const { board, place } = opened;
  if (place.workspace === undefined) {
    throw new SettError("repository-unusable", `${shell.cwd} is not in a git repository.`, {
      hint: "Go to the repository that agents are to work on.",
    });
  }
  const repository = await HostRepository.open(place.workspace, { env: shell.env });
  const from = await board.endOfEvents();
  const actor = await personOf(repository, shell);
  return { goal: await stateGoal(board, repository, text, actor), from, place, actor };
}

function describe({ goal_id, metadata }: Artefact) {
  return { id: goal_id, commit: metadata.commit, summary: metadata.summary };
}

/** Says how the goal ended, and what to look at next. `isAsked`: its questions were shown already. */
async function conclude(
  { goal, asked, artefacts }: RestingGoal,
  state: GoalState,
  { instance, isAsked }: { instance: string; isAsked: boolean },
  shell: Shell,
): Promise<void> {
  const { style } = shell.err;
  const { messages } = shell;
  await shell.err.write(`\nThe goal ${shortId(goal)} is ${style.bold(paintState(state, style))}.\n`);
  const results = artefacts.filter(({ id, logical_id }) => String(id) !== goal && String(logical_id) !== goal);
  const last = results.at(-1);
  switch (state) {
    case "failed": {
      const failure = results.findLast((artefact) => artefact.structural_type === "Failure");
      if (failure === undefined) break;
      messages.note(`${oneLine(failure.type)}: ${oneLine(failure.metadata.summary ?? "")}`);
      messages.next(`sett unearth ${shortId(failure.id)}`);
      break;
    }
    case "stalled":
      messages.note(whyStalled(results));
      messages.next("Do the `bids` in sett.yml match? Which agents are there: sett status");
      messages.next(`Who bid what: sett watch --no-follow --goal ${shortId(goal)}`);
      break;
    case "waiting":
      for (const one of asked) {
        if (one.kind === "approval" || !isAsked) await shell.err.write(`\n${askedDetails(one, style, Date.now())}\n`);
        for (const command of commandsFor(one)) messages.next(command);
      }
      messages.next(`Then see what becomes of it: sett watch --goal ${shortId(goal)}`);
      break;
    default: {
      const commit = results.findLast((artefact) => artefact.metadata.commit !== undefined);
      if (commit !== undefined) messages.next(`git merge refs/sett/${instance}/${commit.id}`);
      if (last !== undefined) messages.next(`sett unearth ${shortId(commit?.id ?? last.id)}`);
    }
  }
}
