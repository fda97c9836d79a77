// The event of limits that a person has raised.
import { nanosPerUsd } from "../../model/amounts.ts";
import type { Amounts } from "../../model/budget.ts";
import type { EventDraft } from "../../model/event.ts";
import type { AgentName, GoalId } from "../../model/ids.ts";
import type { Payer, PeriodId } from "../../model/spending.ts";

/** `agent` undefined: the limits of the goal itself. */
export function budgetEvent(order: {
  goal: GoalId;
  agent?: AgentName | undefined;
  add: Amounts;
  cause: string;
}): EventDraft {
  const { goal, agent, add, cause } = order;
  const data = { ...addedBy(add), cause };
  return { type: "budget_raised", goal_id: goal, ...(agent && { agent }), data };
}

export function periodEvent(order: {
  period: PeriodId;
  whose: Payer;
  add: Amounts;
  cause: string;
}): EventDraft {
  const { period, whose, add, cause } = order;
  return { type: "budget_raised", data: { ...addedBy(add), cause, period, whose } };
}

function addedBy(add: Amounts) {
  return {
    ...(add.nanousd > 0 && { usd: add.nanousd / nanosPerUsd }),
    ...(add.tokens > 0 && { tokens: add.tokens }),
    ...(add.calls > 0 && { calls: add.calls }),
  };
}
