// Follows one goal until nothing more will happen by itself.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { GoalState } from "../../../lib/core/goal-status.ts";
import { exitCodes } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { KnownArtefacts } from "../facts/artefacts.ts";
import { type Asked, readAsked } from "../facts/awaited.ts";
import { type GoalReading, readGoal } from "../facts/goal.ts";
import { followLog } from "../instance/follow-log.ts";
import type { PersonAtPrompt } from "../people/answer-at-prompt.ts";
import type { Shell } from "../terminal/shell.ts";
import { EventPrinter } from "./event-printer.ts";

/** After these a goal may be at rest; after all others something is still under way. */
const lastWords = new Set<SettEvent["type"]>([
  "claim_completed",
  "claim_terminated",
  "goal_ended",
  "grant_waiting",
  "question_asked",
  "question_closed",
  "artefact_created",
]);

/** They concern every goal. */
const pauses = new Set<SettEvent["type"]>(["instance_paused", "instance_resumed"]);

/** `asked`: what it waits for people to say. `hasInSight`: whether what was printed last tells why it failed. */
export type RestingGoal = GoalReading & { asked: Asked[]; hasInSight(failure: ArtefactId): boolean };

/** `person` answers the goal's questions while it is followed. */
type Followed = { name: string; goal: GoalId; from: string; person?: PersonAtPrompt | undefined };

/** Prints the goal's events, and the pauses, after `from`, for people, until it rests; undefined when it was interrupted. */
export async function followGoal(given: Shell, { name, goal, from, person }: Followed): Promise<RestingGoal | undefined> {
  const shell = person?.shell ?? given;
  const known: KnownArtefacts = new Map();
  const printer = new EventPrinter(shell.err, { format: "human", known, isFolded: shell.err.isTerminal });
  const ofGoal = (event: SettEvent) => event.goal_id === goal;
  const isNews = (event: SettEvent) => ofGoal(event) || pauses.has(event.type);
  const isLastWord = (event: SettEvent) => ofGoal(event) && lastWords.has(event.type);
  let last = from;
  let reading: RestingGoal | undefined;
  await followLog(shell, name, {
    from,
    async visit(events, board) {
      last = events.at(-1)?.id ?? last;
      const news = events.filter(isNews);
      await printer.print(news, board);
      // Without events this is a new contact, and the moment of the last words may have been missed, unless more of them are to come.
      const isToCome = events.length === 0 && (await readRest(board, last)).some(isLastWord);
      if (events.length > 0 ? !news.some(isLastWord) : isToCome) return undefined;
      const now = await readGoal(board, goal, known);
      const { state } = now.status;
      const isAnswering = (await person?.attend(now, board)) === true;
      const asked = state === "waiting" ? await readAsked(board, goal) : [];
      reading = state === "running" ? undefined : { ...now, asked, hasInSight: (failure) => printer.hasInSight(failure) };
      if (isAnswering || reading === undefined) return undefined;
      // The reading may know of more than has been printed. All is read before it is printed: nothing must be printed twice.
      const rest = await readRest(board, last);
      await printer.print(rest.filter(isNews), board);
      return "enough";
    },
  });
  person?.check();
  return reading;
}

async function readRest(board: Blackboard, from: string): Promise<SettEvent[]> {
  const rest: SettEvent[] = [];
  for (;;) {
    const page = await board.readEvents(rest.at(-1)?.id ?? from, 500);
    if (page.length === 0) return rest;
    rest.push(...page);
  }
}

/** The exit code that a goal's state stands for (docs/reference/cli.md#exit-codes). */
export function exitCodeOf(state: GoalState): number {
  switch (state) {
    case "achieved":
    case "settled":
      return exitCodes.done;
    case "stalled":
    case "running":
      return exitCodes.failed;
    case "failed":
    case "cancelled":
      return exitCodes.goalFailed;
    case "waiting":
      return exitCodes.waiting;
    default:
      return unreachable(state);
  }
}
