// Follows one goal until it rests: nothing more happens without a person.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { KnownArtefacts } from "../../../lib/client/facts/artefacts.ts";
import { readGoalCost } from "../../../lib/client/facts/costs.ts";
import { type GoalReading, readGoal } from "../../../lib/client/facts/goal.ts";
import { type Inquiry, readInquiries } from "../../../lib/client/facts/inquiries.ts";
import { readResult } from "../../../lib/client/facts/result.ts";
import type { GoalResult } from "../../../lib/core/goal-result.ts";
import type { GoalState } from "../../../lib/core/goal-status.ts";
import { exitCodes } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { followLog } from "../instance/follow-log.ts";
import type { PersonAtPrompt } from "../people/answer-at-prompt.ts";
import type { Shell } from "../terminal/shell.ts";
import { EventPrinter } from "./event-printer.ts";
import { QuietGoal } from "./quiet-goal.ts";

/** Only after one of these events a goal may rest. */
const lastEvents = new Set<SettEvent["type"]>([
  "claim_completed",
  "claim_terminated",
  "goal_ended",
  "grant_waiting",
  "question_asked",
  "question_closed",
  "artefact_created",
]);

/** Events that concern every goal. */
const pauses = new Set<SettEvent["type"]>(["instance_paused", "instance_resumed"]);

/**
 * `inquiries`: what the goal asks people. `result`: what came of it. `ignoredBecause`: agent → why
 * it has bid `ignore`, where it has said so. `hasInSight`: whether one of the last printed lines
 * shows this Failure.
 */
export type RestingGoal = GoalReading & {
  inquiries: Inquiry[];
  result: GoalResult;
  ignoredBecause: ReadonlyMap<string, string>;
  hasInSight(failure: ArtefactId): boolean;
};

/** `person` answers the goal's questions while it is followed. */
type Followed = { name: string; goal: GoalId; from: string; person?: PersonAtPrompt | undefined };

/**
 * Prints the events of the goal, and pauses, after `from`, until the goal rests. Undefined when it
 * was interrupted.
 */
export async function followGoal(
  outerShell: Shell,
  { name, goal, from, person }: Followed,
): Promise<RestingGoal | undefined> {
  const shell = person?.shell ?? outerShell;
  const known: KnownArtefacts = new Map();
  const printer = new EventPrinter(shell.err, {
    format: "human",
    known,
    isFolded: shell.err.isTerminal,
  });
  const ofGoal = (event: SettEvent) => event.goal_id === goal;
  const isNews = (event: SettEvent) => ofGoal(event) || pauses.has(event.type);
  const isLastEvent = (event: SettEvent) => ofGoal(event) && lastEvents.has(event.type);
  const ignoredBecause = new Map<string, string>();
  const say = async (events: readonly SettEvent[], board: PersonBlackboard) => {
    for (const event of events) noteReason(ignoredBecause, event);
    await printer.print(events, board);
  };
  let last = from;
  let reading: RestingGoal | undefined;
  await using quiet = new QuietGoal(shell, goal, known);
  await followLog(shell, name, {
    from,
    async visit(events, board) {
      last = events.at(-1)?.id ?? last;
      const news = events.filter(isNews);
      await say(news, board);
      quiet.update(board, news.length > 0);
      // Without events this is a new connection, which may have missed the last event, unless such
      // an event still follows.
      const isToCome = events.length === 0 && (await readRest(board, last)).some(isLastEvent);
      if (events.length > 0 ? !news.some(isLastEvent) : isToCome) return undefined;
      const now = await readGoal(board, goal, known);
      const { state } = now.status;
      const isAnswering = (await person?.update(now, board)) === true;
      const inquiries = state === "waiting" ? await readInquiries(board, goal) : [];
      const cost = state === "running" ? undefined : await readGoalCost(board, goal);
      const hasInSight = (failure: ArtefactId) => printer.hasInSight(failure);
      reading =
        state === "running"
          ? undefined
          : {
              ...{ ...now, cost, inquiries, ignoredBecause, hasInSight },
              result: await readResult(board, goal, state),
            };
      if (isAnswering || reading === undefined) return undefined;
      // The reading may be newer than the printed events. The rest is read completely before it is
      // printed, so that no line comes twice.
      const rest = await readRest(board, last);
      await say(rest.filter(isNews), board);
      return "enough";
    },
  });
  person?.check();
  return reading;
}

function noteReason(reasons: Map<string, string>, { type, agent, data }: SettEvent): void {
  if (type !== "bid_placed" || agent === undefined || data?.word !== "ignore") return;
  if (typeof data.reason === "string") reasons.set(agent, data.reason);
}

async function readRest(board: PersonBlackboard, from: string): Promise<SettEvent[]> {
  const rest: SettEvent[] = [];
  for (;;) {
    const page = await board.readEvents(rest.at(-1)?.id ?? from, 500);
    if (page.length === 0) return rest;
    rest.push(...page);
  }
}

/** The exit code for a goal's state (docs/reference/cli.md#exit-codes). */
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
