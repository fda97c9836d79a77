// `--watch` of a command: follows a goal until it rests, fetches its commits, and says how it
// ended.

import { aborted, sleep } from "../../../lib/async/sleep.ts";
import { failuresOf, stalledAdvice, whyStalled } from "../../../lib/client/facts/goal.ts";
import { resultText } from "../../../lib/client/render/result-text.ts";
import { boundedLine } from "../../../lib/client/text/plain-text.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
import { exitCodes } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { ArtefactId, GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import {
  artefactOf,
  type FetchedResults,
  fetchResults,
  readResultsAt,
} from "../instance/fetch-results.ts";
import type { Place } from "../instance/place.ts";
import { PersonAtPrompt } from "../people/answer-at-prompt.ts";
import { isBare } from "../program/workspace-root.ts";
import { commandsFor, inquiryDetails } from "../render/inquiry-text.ts";
import { stateSentence } from "../render/state.ts";
import type { Shell } from "../terminal/shell.ts";
import { type BegunLines, begunLines } from "./begun-lines.ts";
import { exitCodeOf, followGoal, type RestingGoal } from "./follow-goal.ts";
import { printOutputs, SeenLogs } from "./live-outputs.ts";

/** Lines that have not come by then, of a worker that is gone for example, are not waited for. */
const lastMs = 5_000;

/**
 * `from`: the position after which events are printed. `mayAsk`: on a terminal, `actor` is asked
 * the questions of agents.
 */
export type WatchedGoal = {
  place: Place;
  goal: GoalId;
  from: string;
  actor: Actor;
  mayAsk: boolean;
  /** The output of commands is shown as well. */
  isLive?: boolean;
};

/** Undefined when it was interrupted; it prints a note then. */
export async function watchGoal(
  outer: Shell,
  watched: WatchedGoal,
): Promise<RestingGoal | undefined> {
  const { place, goal, from, actor } = watched;
  let isAsking = () => false;
  let begun: BegunLines | undefined;
  const withBegun = (shell: Shell) => {
    if (watched.isLive === true) begun = begunLines(shell, () => isAsking());
    return begun?.shell ?? shell;
  };
  const canAsk = watched.mayAsk && outer.isInteractive && outer.env.TERM !== "dumb";
  using person = canAsk ? new PersonAtPrompt(outer, actor, withBegun) : undefined;
  isAsking = () => person?.isAsking === true;
  const shell = person === undefined ? withBegun(outer) : outer;
  const over = new AbortController();
  const ending = AbortSignal.any([shell.interrupted, over.signal]);
  const seen = new SeenLogs();
  const printing =
    watched.isLive === true
      ? printOutputs(
          shell,
          person?.shell.err ?? shell.err,
          {
            ...{ name: place.instance, goal: () => goal, format: "human" as const, seen },
            onBegun: begun?.onBegun,
            sinceMs: Number.parseInt(from, 10),
          },
          ending,
        )
      : undefined;
  // An interruption ends this at once, even while Redis hangs.
  const reading = await Promise.race([
    followGoal(shell, { name: place.instance, goal, from, person }),
    aborted(shell.interrupted).then(() => undefined),
  ]);
  if (reading !== undefined && printing !== undefined)
    await untilPrinted(reading, seen, shell.interrupted);
  over.abort();
  await begun?.[Symbol.asyncDispose]();
  if (reading === undefined) {
    shell.messages.note(
      `Work on the goal goes on. To follow it: ${shell.suggest(`watch --goal ${shortId(goal)}`)}`,
    );
    return undefined;
  }
  const hasCommits = reading.artefacts.some(
    ({ id, metadata }) => String(id) !== String(goal) && metadata.commit !== undefined,
  );
  const fetched = hasCommits
    ? await fetchResults(shell, place.workspace, () => readResultsAt(place))
    : undefined;
  const hasFiles = place.workspace === undefined || !(await isBare(place.workspace));
  const end = { instance: place.instance, isAsked: canAsk, hasFiles, fetched };
  await printEnd(reading, end, shell);
  return reading;
}

/** Until what the commands of the goal have printed was read to its end. */
async function untilPrinted(
  { artefacts }: RestingGoal,
  seen: SeenLogs,
  signal: AbortSignal,
): Promise<void> {
  const made = artefacts.filter(({ claim_id, produced_by_agent }) => claim_id && produced_by_agent);
  const until = performance.now() + lastMs;
  while (
    made.some((one) => !seen.isWhole(one.produced_by_agent, one.claim_id)) &&
    performance.now() < until &&
    !signal.aborted
  )
    await sleep(20, signal);
}

/** The same; returns the exit code. */
export async function watchToEnd(shell: Shell, watched: WatchedGoal): Promise<number> {
  const reading = await watchGoal(shell, watched);
  return reading === undefined ? exitCodes.interrupted : exitCodeOf(reading.status.state);
}

type End = {
  instance: InstanceName;
  isAsked: boolean;
  hasFiles: boolean;
  fetched: FetchedResults | undefined;
};

/** True where the repository has a name for the commit of this artefact. */
function isHere(fetched: FetchedResults | undefined, id: ArtefactId): boolean {
  if (fetched === undefined) return true;
  const { isWhole, broken } = fetched;
  // Without a reason for any of them, the fetching itself has failed.
  if (!isWhole && broken.length === 0) return false;
  return broken.every(({ ref }) => artefactOf(ref) !== id);
}

const maxFailures = 3;
/** Columns of a reason. */
const maxReason = 300;

/**
 * Prints how the goal ended, and what to type next. `isAsked`: its questions were shown already.
 * `hasFiles`: false in a bare repository, where nothing can be merged. `fetched`: undefined where
 * there was nothing to fetch.
 */
async function printEnd(
  { goal, inquiries, artefacts, status, cost, result, ignoredBecause, hasInSight }: RestingGoal,
  { instance, isAsked, hasFiles, fetched }: End,
  shell: Shell,
): Promise<void> {
  const { messages, suggest } = shell;
  await shell.err.write(`\n${stateSentence(shortId(goal), status.state, shell.err.style)}\n`);
  if (status.state !== "waiting")
    await shell.err.write(resultText(result, instance, { cost, layout: shell.err }));
  const results = artefacts.filter(
    ({ id, logical_id }) => String(id) !== goal && String(logical_id) !== goal,
  );
  const last = results.at(-1);
  switch (status.state) {
    case "failed":
      for (const failure of failuresOf({ status, artefacts }).slice(-maxFailures)) {
        if (!hasInSight(failure.id)) {
          messages.note(`${typeText(failure.type)}:`);
          await shell.err.write(
            `${quotedLines(boundedLine(failure.metadata.summary ?? "", maxReason), shell.err).join("\n")}\n`,
          );
        }
        messages.next(suggest(`unearth ${shortId(failure.id)}`));
      }
      break;
    case "stalled":
      messages.note(whyStalled(results));
      for (const [agent, reason] of ignoredBecause) {
        messages.note(`${agent} bid \`ignore\`:`);
        await shell.err.write(
          `${quotedLines(boundedLine(reason, maxReason), shell.err).join("\n")}\n`,
        );
      }
      if (ignoredBecause.size === 0) messages.note(stalledAdvice);
      messages.next(`The agents: ${suggest("status")}`);
      messages.next(`Their bids: ${suggest(`watch --no-follow --goal ${shortId(goal)}`)}`);
      break;
    case "waiting":
      for (const inquiry of inquiries) {
        if (inquiry.kind === "approval" || !isAsked)
          await shell.err.write(`\n${inquiryDetails(inquiry, shell.err, Date.now())}\n`);
        for (const command of commandsFor(inquiry, suggest)) messages.next(command);
      }
      messages.next(`Then follow the goal: ${suggest(`watch --goal ${shortId(goal)}`)}`);
      break;
    default: {
      const here = result.commits.filter(({ artefact }) => isHere(fetched, artefact));
      const shown = here.at(-1)?.artefact ?? result.others.at(-1)?.artefact ?? last?.id;
      if (hasFiles && here.length > 0) messages.next(suggest(`merge ${shortId(goal)}`));
      else
        for (const { artefact } of here)
          messages.next(`git branch NAME ${settRef(instance, artefact)}`);
      if (here.length < result.commits.length)
        messages.next(`When that is put right, fetch what is missing: ${suggest("hoard")}`);
      if (shown !== undefined) messages.next(suggest(`unearth ${shortId(shown)}`));
    }
  }
}
