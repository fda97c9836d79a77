// sett forage: states a goal.

import { HostRepository } from "../../../lib/git/host-repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import { exitCodeOf } from "../goals/follow-goal.ts";
import { stateGoal } from "../goals/post-goal.ts";
import { seeGoalThrough } from "../goals/watch-goal.ts";
import { personOf } from "../instance/person.ts";
import type { Place } from "../instance/place.ts";
import { openSession } from "../instance/session.ts";
import { type Held, heldUntil } from "../people/held-until.ts";
import { jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { readGoalText } from "../program/given-text.ts";
import type { Shell } from "../terminal/shell.ts";
import { shortId } from "../text/short-id.ts";

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
    id: { type: "string", valueHint: "UUID", description: "the goal's own id: what stands under it is not stated a second time" },
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
    const { goal, from, place, actor, held } = await post(text, goalIdOf(args.id), args.name, shell);
    const id = goal.goal_id;
    if (!args.watch) {
      await shell.out.write(args.json ? `${JSON.stringify(describe(goal))}\n` : `${id}\n`);
      tellHeld(held, shell);
      shell.messages.next(`See what becomes of it: ${shell.suggest(`watch --goal ${shortId(id)}`)}`);
      return;
    }
    if (!args.json) await shell.out.write(`${id}\n`);
    tellHeld(held, shell);
    // Where the goal came from stdin there is nothing left to read.
    const mayAsk = args.goal !== "-";
    const reading = await seeGoalThrough(shell, { place, goal: id, from, actor, mayAsk });
    if (reading === undefined) return exitCodes.interrupted;
    const { state } = reading.status;
    if (args.json)
      await shell.out.write(
        `${JSON.stringify({ ...describe(goal), state, artefacts: reading.artefacts.map((artefact) => artefact.id) })}\n`,
      );
    return exitCodeOf(state);
  },
});

function goalIdOf(text: string | undefined): GoalId | undefined {
  if (text === undefined) return undefined;
  const parsed = GoalId.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new SettError("usage", "--id takes a UUID of version 4.", { hint: "Leave it out, and the goal gets one." });
}

/** `from` is where the log stood before. The connection ends here: who follows makes their own, again and again. */
async function post(
  text: string,
  id: GoalId | undefined,
  name: string | undefined,
  shell: Shell,
): Promise<{ goal: Artefact; from: string; place: Place; actor: Actor; held: Held | undefined }> {
  await using session = await openSession(shell, name);
  const { board, place } = session;
  if (place.workspace === undefined) {
    throw new SettError("repository-unusable", `${shell.cwd} is not in a git repository.`, {
      hint: "Go to the repository that agents are to work on.",
    });
  }
  const repository = await HostRepository.open(place.workspace, { env: shell.env });
  const [from, held] = await Promise.all([board.endOfEvents(), heldUntil(board, shell.suggest)]);
  const actor = await personOf(repository, shell);
  return { goal: await stateGoal(board, repository, { text, id, actor, suggest: shell.suggest }), from, place, actor, held };
}

function tellHeld(held: Held | undefined, { messages }: Shell): void {
  if (held === undefined) return;
  messages.note(`Work on the goal begins ${held.until}.`);
  messages.next(held.next);
}

function describe({ goal_id, metadata }: Artefact) {
  return { id: goal_id, commit: metadata.commit, summary: metadata.summary };
}
