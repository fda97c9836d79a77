// `retention` of a sett.yml, and whether goals wait to be moved by it: the instance moves none,
// because their commits must be in the repository first.
import { resolve } from "node:path";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readGoalFacts } from "../../../lib/blackboard/records/read-goal-facts.ts";
import { isMalformed } from "../../../lib/client/facts/checked.ts";
import { checkConfig } from "../../../lib/config/read-config.ts";
import { type GoalState, goalStatus } from "../../../lib/core/goal-status.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { configPath } from "../program/config-path.ts";
import type { Shell } from "../terminal/shell.ts";
import { openSession } from "./session.ts";

export type Retention = SettConfig["retention"];

/**
 * The `retention` of this folder's sett.yml; undefined where there is no file, or one with
 * mistakes.
 */
export async function readRetention({
  cwd,
  env,
}: Pick<Shell, "cwd" | "env">): Promise<Retention | undefined> {
  try {
    const file = resolve(cwd, await configPath({ cwd, env }, undefined));
    return (await checkConfig(file, env, { withoutKeys: true })).config?.retention;
  } catch (error) {
    if (error instanceof SettError) return undefined;
    throw error;
  }
}

const over = new Set<GoalState>(["achieved", "settled", "failed", "cancelled", "stalled"]);

/** A goal in this state may be moved. */
export const isOver = (state: GoalState): boolean => over.has(state);

/** So many of the oldest goals are looked at: a reminder needs no exact number. */
const looked = 20;

/** Goals that `sett prune` would move, among the oldest. `isAll`: there are no more of them. */
export type WaitingGoals = { count: number; isAll: boolean; days: number };

/**
 * Undefined where none waits. A goal's last event may be a little later than its last artefact,
 * which counts here.
 */
export async function goalsThatWait(
  board: PersonBlackboard,
  goalsMs: number,
): Promise<WaitingGoals | undefined> {
  const before = (await board.time()) - goalsMs;
  const oldest = await board.listGoals({ from: 0, count: looked });
  let count = 0;
  for (const goal of oldest) if (await hasEndedBefore(board, goal, before)) count += 1;
  return count === 0
    ? undefined
    : { count, isAll: oldest.length < looked, days: goalsMs / 86_400_000 };
}

/** As a sentence for a person. */
export function waitingSentence({ count, isAll, days }: WaitingGoals): string {
  const goals =
    count === 1 && isAll ? "1 goal has" : `${count} goals${isAll ? "" : " or more"} have`;
  return `${goals} ended more than ${days} ${days === 1 ? "day" : "days"} ago (\`retention.goals\`)`;
}

async function hasEndedBefore(
  board: PersonBlackboard,
  goal: GoalId,
  beforeMs: number,
): Promise<boolean> {
  try {
    const readHeads = async (ids: Parameters<typeof board.readHeads>[0]) =>
      (await board.readHeads(ids)).map(({ head }) => head);
    const stored = await readGoalFacts(
      board,
      goal,
      readHeads,
      (facts) => goalStatus(facts).state === "running",
    );
    const last = Math.max(...stored.artefacts.map(({ created_at }) => Date.parse(created_at)));
    return isOver(goalStatus(stored).state) && last < beforeMs;
  } catch (error) {
    if (isMalformed(error)) return false;
    throw error;
  }
}

/** For `sett up`, which has succeeded whatever comes of this. */
export async function noteWaitingGoals(
  instance: InstanceName,
  { goals_ms }: Pick<Retention, "goals_ms">,
  shell: Shell,
): Promise<void> {
  if (goals_ms === undefined) return;
  try {
    await using session = await openSession(shell, instance);
    const waiting = await goalsThatWait(session.board, goals_ms);
    if (waiting !== undefined)
      shell.messages.note(
        `${waitingSentence(waiting)}: \`${shell.suggest("prune")}\` moves them into a file.`,
      );
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
  }
}
