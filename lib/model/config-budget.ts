// The budgets of sett.yml that count over time: `limits.budget`, and `budget` of a trigger.
import { z } from "zod";
import { type Budget, BudgetFile, BudgetText } from "./budget.ts";
import { smallLetters } from "./small-letters.ts";

const periods = {
  per_day: BudgetText.optional().describe(
    "The same for all calls of a day, by UTC: `50usd`. When it is reached, no new work begins until the next day, or until a person raises it.",
  ),
  per_month: BudgetText.optional().describe("The same for all calls of a calendar month, by UTC."),
};

const perGoal = BudgetText.optional().describe(
  "What the calls for one goal may cost: `5usd`, or `5usd, 200k tokens`.",
);

/** A person: the address in small letters, or `*` for each one who has no entry. */
const Person = z.string().min(1).max(300).transform(smallLetters);

/** `goal`: by `per_goal`, or `usd`, `tokens` and `calls`; undefined where none of them is there. */
export const BudgetLimits = z
  .strictObject({
    ...BudgetFile.in.shape,
    per_goal: perGoal,
    ...periods,
    people: z
      .record(Person, z.strictObject(periods))
      .default({})
      .describe(
        "The same for the goals of one person, by address: `ada@example.org`. `*` is for each person without an entry.",
      ),
  })
  .superRefine(({ per_goal, usd, tokens, calls }, context) => {
    if (per_goal === undefined || (usd ?? tokens ?? calls) === undefined) return;
    const message = "cannot be combined with `usd`, `tokens` or `calls`: both are for one goal";
    context.addIssue({ code: "custom", path: ["per_goal"], message });
  })
  .transform(({ per_goal, per_day, per_month, people, usd, ...counts }) => {
    const named: Budget = { ...(usd !== undefined && { nanousd: usd }), ...counts };
    const goal = per_goal ?? (Object.keys(named).length > 0 ? named : undefined);
    return { goal, instance: limitsOf({ per_day, per_month }), people };
  });

export const TriggerBudget = z
  .strictObject({ per_goal: perGoal, ...periods })
  .transform(({ per_goal, ...rest }) => ({
    ...(per_goal !== undefined && { goal: per_goal }),
    ...limitsOf(rest),
  }));

/** By period, without those that have no limit. */
export function limitsOf({
  per_day,
  per_month,
}: {
  per_day?: Budget | undefined;
  per_month?: Budget | undefined;
}) {
  return {
    ...(per_day !== undefined && { day: per_day }),
    ...(per_month !== undefined && { month: per_month }),
  };
}
