// `--watch` of a command that sets a goal going: follows it until it rests, fetches what came of it, and says how it ended.

import { aborted } from "../../../lib/async/sleep.ts";
import type { GoalState } from "../../../lib/core/goal-status.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { failuresOf, whyStalled } from "../facts/goal.ts";
import { fetchResults, readResultsAt } from "../instance/fetch-results.ts";
import type { Place } from "../instance/place.ts";
import { PersonAtPrompt } from "../people/answer-at-prompt.ts";
import { askedDetails, commandsFor } from "../render/asked-text.ts";
import { paintState } from "../render/state.ts";
import type { Shell } from "../terminal/shell.ts";
import { oneLine } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import { followGoal, type RestingGoal } from "./follow-goal.ts";

/**
 * `from`: the events after it are told. `mayAsk`: on a terminal, `actor`
 * is asked there what agents want to know.
 */
type Seen = { place: Place; goal: GoalId; from: string; actor: Actor; mayAsk: boolean };

/** Undefined when it was interrupted, which is said. */
export async function seeGoalThrough(shell: Shell, seen: Seen): Promise<RestingGoal | undefined> {
  const { place, goal, from, actor } = seen;
  const canAsk = seen.mayAsk && shell.isInteractive && shell.env.TERM !== "dumb";
  using person = canAsk ? new PersonAtPrompt(shell, actor) : undefined;
  // Whoever interrupts is answered at once, also while a Redis that hangs is waited for.
  const reading = await Promise.race([
    followGoal(shell, { name: place.instance, goal, from, person }),
    aborted(shell.interrupted).then(() => undefined),
  ]);
  if (reading === undefined) {
    shell.messages.note(`The goal goes on without you: ${shell.suggest(`watch --goal ${shortId(goal)}`)}`);
    return undefined;
  }
  if (reading.artefacts.some(({ id, metadata }) => String(id) !== String(goal) && metadata.commit !== undefined))
    await fetchResults(shell, place.workspace, () => readResultsAt(place));
  await conclude(reading, reading.status.state, { instance: place.instance, isAsked: canAsk }, shell);
  return reading;
}

const maxFailures = 3;

/** Says how the goal ended, and what to look at next. `isAsked`: its questions were shown already. */
async function conclude(
  { goal, asked, artefacts, status, hasInSight }: RestingGoal,
  state: GoalState,
  { instance, isAsked }: { instance: string; isAsked: boolean },
  shell: Shell,
): Promise<void> {
  const { style } = shell.err;
  const { messages, suggest } = shell;
  await shell.err.write(`\nThe goal ${shortId(goal)} is ${style.bold(paintState(state, style))}.\n`);
  const results = artefacts.filter(({ id, logical_id }) => String(id) !== goal && String(logical_id) !== goal);
  const last = results.at(-1);
  switch (state) {
    case "failed":
      for (const failure of failuresOf({ status, artefacts }).slice(-maxFailures)) {
        if (!hasInSight(failure.id)) messages.note(`${oneLine(failure.type)}: ${oneLine(failure.metadata.summary ?? "")}`);
        messages.next(suggest(`unearth ${shortId(failure.id)}`));
      }
      break;
    case "stalled":
      messages.note(whyStalled(results));
      messages.next(`Do the \`bids\` in sett.yml match? Which agents are there: ${suggest("status")}`);
      messages.next(`Who bid what: ${suggest(`watch --no-follow --goal ${shortId(goal)}`)}`);
      break;
    case "waiting":
      for (const one of asked) {
        if (one.kind === "approval" || !isAsked) await shell.err.write(`\n${askedDetails(one, shell.err, Date.now())}\n`);
        for (const command of commandsFor(one, suggest)) messages.next(command);
      }
      messages.next(`Then see what becomes of it: ${suggest(`watch --goal ${shortId(goal)}`)}`);
      break;
    default: {
      const commit = results.findLast((artefact) => artefact.metadata.commit !== undefined);
      if (commit !== undefined) messages.next(`git merge refs/sett/${instance}/${commit.id}`);
      if (last !== undefined) messages.next(suggest(`unearth ${shortId(commit?.id ?? last.id)}`));
    }
  }
}
