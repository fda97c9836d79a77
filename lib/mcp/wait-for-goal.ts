// Waits until a goal rests: nothing more happens without a person.
import { type GoalReading, readGoal } from "../client/facts/goal.ts";
import type { GoalId } from "../model/ids.ts";
import type { OpenInstance } from "./deps.ts";

/**
 * `onEvents`: called with how many events of the goal have come so far. The reading of the end, or
 * of the moment when `signal` was aborted.
 */
export async function waitForGoal(
  { asker: { board, follow } }: Pick<OpenInstance, "asker">,
  goal: GoalId,
  { signal, onEvents }: { signal: AbortSignal; onEvents(count: number): void },
): Promise<GoalReading> {
  // Read first: what happens from here on is not missed.
  const from = await board.endOfEvents();
  let reading = await readGoal(board, goal);
  if (reading.status.state !== "running" || signal.aborted) return reading;
  let count = 0;
  await follow(
    from,
    async (events, current) => {
      const own = events.filter(({ goal_id }) => goal_id === goal).length;
      count += own;
      if (own > 0) onEvents(count);
      if (own === 0 && events.length > 0) return undefined;
      reading = await readGoal(current, goal);
      return reading.status.state === "running" ? undefined : "enough";
    },
    signal,
  );
  return reading.status.state === "running" ? await readGoal(board, goal) : reading;
}
