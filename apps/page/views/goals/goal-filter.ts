// Which goals a filter of the list shows. The state is asked of the API; the rest is chosen here.
import type { GoalSummary } from "../../data/contract.ts";
import { isBeginOf } from "../../text/words.ts";

/** All are texts of the address, and empty where nothing is chosen. */
export type GoalFilter = { q: string; by: string; age: string; cost: string };

const dayMs = 86_400_000;
export const ages: Record<string, { words: string; ms: number }> = {
  day: { words: "of a day", ms: dayMs },
  week: { words: "of a week", ms: 7 * dayMs },
  month: { words: "of 30 days", ms: 30 * dayMs },
};
/** They are in US dollars. */
export const minCosts = ["0.1", "1", "10", "100"];

/** A word that the list does not know chooses nothing, so that an old address shows all. */
export function matchesGoal(goal: GoalSummary, filter: GoalFilter, nowMs: number): boolean {
  const { q, by, age, cost } = filter;
  if (by !== "" && statedBy(goal) !== by) return false;
  const maxMs = ages[age]?.ms ?? Number.POSITIVE_INFINITY;
  if (nowMs - Date.parse(goal.created_at) > maxMs) return false;
  if (minCosts.includes(cost) && (goal.cost?.usd ?? 0) < Number(cost)) return false;
  const tried = goal.attempt > 1 ? `attempt ${goal.attempt}` : "";
  const text = `${goal.summary} ${statedBy(goal)} ${tried}`.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word) || isBeginOf(goal.id, word));
}

export function statedBy({ trigger, person }: Pick<GoalSummary, "trigger" | "person">): string {
  return trigger === null ? (person ?? "a person") : `trigger ${trigger}`;
}
