// sett forage: posts a goal.

import { type Obstacle, readObstacle } from "../../../lib/client/actions/obstacle.ts";
import { postGoal } from "../../../lib/client/actions/post-goal.ts";
import type { Lacking } from "../../../lib/git/exchange/port.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { exitCodes, messageOf, SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { recordingOf } from "../facts/gateway-state.ts";
import { gitOf } from "../instance/packs-place.ts";
import { personOf } from "../instance/person.ts";
import type { Place } from "../instance/place.ts";
import { openSession } from "../instance/session.ts";
import { noteObstacle } from "../people/note-obstacle.ts";
import { receiptFor, type SignArguments, signArguments, signerFor } from "../people/sign-act.ts";
import { jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { noRepository } from "../program/not-in-repository.ts";
import { readGoalText } from "../program/read-text.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { PackingStep } from "../terminal/packing-step.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";

export const forage = defineCommand({
  name: "forage",
  description: "post a goal",
  details: [
    "Prints the goal's id. Agents start from the commit at HEAD, so every change must be committed.",
    "With --watch: follows the goal on stderr until it rests, and fetches its commits. The exit code says how the goal",
    "ended: 0 achieved or settled, 1 stalled, 3 failed or cancelled, 4 waiting for a person.",
    "Where nothing happens for 10 s, it says whom the goal waits for, and what you can do.",
    "On a terminal, --watch also asks you the questions of agents, and then goes on.",
  ].join("\n"),
  args: {
    goal: {
      type: "string",
      alias: "g",
      required: true,
      valueHint: "TEXT",
      description: "what is to be done; - reads it from stdin",
    },
    id: {
      type: "string",
      valueHint: "UUID",
      description: "the goal's id, chosen by you: the same id never makes a second goal",
    },
    watch: { type: "boolean", alias: "w", description: "follow the goal until it rests" },
    live: {
      type: "boolean",
      description: "with --watch: show what commands print, as it comes, each line with its claim",
    },
    ...signArguments,
    json: jsonArgument,
    name: nameArgument,
  },
  examples: [
    'sett forage --goal "Write the changelog"',
    "sett forage --goal hello --watch",
    "sett forage --goal - < goal.md  # a long goal",
  ],
  // It must not end between the pin and the goal.
  endsItself: true,
  async run(args, shell) {
    if (args.live && !args.watch)
      throw new SettError("usage", "--live needs --watch.", {
        hint: "Add --watch, or follow the goal later: `sett watch --live`.",
      });
    const text = await readGoalText(args.goal, shell);
    using receipt = await receiptFor(args, shell);
    const { goal, from, place, actor, obstacle, lacking } = await post(
      text,
      goalIdOf(args.id),
      args,
      shell,
    );
    const id = goal.goal_id;
    if (!args.watch) {
      await shell.out.write(args.json ? `${JSON.stringify(describe(goal))}\n` : `${id}\n`);
      noteLacking(lacking, shell);
      noteObstacle(obstacle, shell);
      await receipt?.keep(goal);
      shell.messages.next(`Follow the goal: ${shell.suggest(`watch --goal ${shortId(id)}`)}`);
      return;
    }
    if (!args.json) await shell.out.write(`${id}\n`);
    noteLacking(lacking, shell);
    noteObstacle(obstacle, shell);
    await receipt?.keep(goal);
    // Most goals are posted without it, which should not pay for what it loads.
    const [{ watchGoal }, { exitCodeOf }, { resultJson }] = await Promise.all([
      import("../goals/watch-goal.ts"),
      import("../goals/follow-goal.ts"),
      import("../../../lib/client/facts/result.ts"),
    ]);
    // After a goal from stdin, stdin has ended and no person can type.
    const mayAsk = args.goal !== "-";
    const watched = { place, goal: id, from, actor, mayAsk, isLive: args.live };
    const reading = await watchGoal(shell, watched);
    if (reading === undefined) return exitCodes.interrupted;
    const { state } = reading.status;
    if (args.json)
      await shell.out.write(
        `${JSON.stringify({ ...describe(goal), state, artefacts: reading.artefacts.map((artefact) => artefact.id), result: resultJson(reading.result, place.instance, shell.suggest) })}\n`,
      );
    return exitCodeOf(state);
  },
});

function goalIdOf(text: string | undefined): GoalId | undefined {
  if (text === undefined) return undefined;
  const parsed = GoalId.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new SettError("usage", "--id takes a UUID of version 4.", {
    hint: "Without --id, sett makes one.",
  });
}

/**
 * `from`: the end of the log before the goal. The connection ends here; following the goal makes
 * its own connections.
 */
async function post(
  text: string,
  id: GoalId | undefined,
  args: SignArguments & { name: string | undefined },
  shell: Shell,
): Promise<{
  goal: Artefact;
  from: string;
  place: Place;
  actor: Actor;
  obstacle: Obstacle | undefined;
  lacking: readonly Lacking[];
}> {
  using progress = new Progress(shell.err);
  using step = new PackingStep(progress);
  // The function that posts the goal refuses a repository without commits.
  const options = { ...gitOf(shell), onProgress: step.onProgress, mayBeEmpty: true };
  const here = await workspaceRoot(shell.cwd);
  // Git answers while the runtime does: most goals are for the repository around.
  const opening = here === undefined ? undefined : HostRepository.open(here, options);
  opening?.catch(() => {});
  await using session = await openSession(shell, args.name);
  const { board, place } = session;
  if (place.workspace === undefined) {
    throw await noRepository(shell.cwd, "Go to the repository on which agents should work.");
  }
  const repository = await (place.workspace === here && opening !== undefined
    ? opening
    : HostRepository.open(place.workspace, options));
  const [from, obstacle] = await Promise.all([
    board.endOfEvents(),
    readObstacle(board, shell.suggest),
  ]);
  // The API posts it in the name of its caller.
  const actor = "api" in place ? place.actor : await personOf(repository, shell);
  const sign = await signerFor(args, place, shell);
  const recording = recordingOf(place.containers);
  const { suggest, messages } = shell;
  const goal = await postGoal(board, repository, {
    text,
    id,
    actor,
    suggest,
    recording,
    sign,
    onSlow: messages.note,
  });
  step.done();
  const { commit } = goal.metadata;
  // The goal is on record: this is no reason to fail.
  const lacking =
    commit === undefined
      ? []
      : await repository
          .exchange(board.instance)
          .lacking(commit)
          .catch((error: unknown) => {
            messages.warn(
              `What agents will not find of its commit is not known: ${messageOf(error)}`,
            );
            return [];
          });
  return { goal, from, place, actor, obstacle, lacking };
}

function noteLacking(lacking: readonly Lacking[], { messages }: Shell): void {
  for (const { found, remedy } of lacking) {
    messages.note(found);
    messages.next(remedy);
  }
}

function describe({ goal_id, metadata }: Artefact) {
  return { id: goal_id, commit: metadata.commit, summary: metadata.summary };
}
