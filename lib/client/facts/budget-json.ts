// The budget of a goal as JSON. `sett budget --json` and the API have the same.
import { amountKinds, minus, nanosPerUsd } from "../../model/amounts.ts";
import type { Amounts, Budget } from "../../model/budget.ts";
import { periodOf } from "../../model/spending.ts";
import { amountsJson, budgetJson, costJson } from "../render/cost-text.ts";
import type { BudgetReading } from "./budget.ts";
import type { PeriodReading } from "./period-budgets.ts";

export function budgetReportJson(reading: BudgetReading) {
  const { goal, limits, added, spent, reserved, under_way, agents, models, isAnnounced } = reading;
  const { estimated, tools } = reading;
  return {
    goal_id: goal,
    gateway: isAnnounced,
    limits: budgetJson(limits),
    added: amountsJson(added),
    spent: costJson(spent),
    reserved: amountsJson(reserved),
    left: budgetJson(leftOf(limits, spent, reserved)),
    calls_under_way: under_way,
    estimated_calls: estimated,
    agents: agents.map((agent) => ({
      name: agent.name,
      model: agent.model,
      spent: costJson(agent.cost),
      calls_under_way: agent.under_way,
      grant_limits: budgetJson(agent.limits),
      added: amountsJson(agent.added),
    })),
    models: models.map(({ name, provider, answered, cost, usage }) => ({
      name,
      provider,
      answered,
      spent: costJson(cost),
      usage,
    })),
    tools: tools.map(({ name, calls, nanousd }) => ({ name, calls, usd: nanousd / nanosPerUsd })),
  };
}

export function periodsJson(readings: readonly PeriodReading[]) {
  return readings.map(({ whose, period, limits, added, spent, reserved, isHeld }) => ({
    whose,
    period: periodOf(period),
    of: period.slice(period.indexOf(":") + 1),
    limits: budgetJson(limits),
    added: amountsJson(added),
    spent: amountsJson(spent),
    reserved: amountsJson(reserved),
    holds_new_work: isHeld,
  }));
}

function leftOf(limits: Budget, spent: Amounts, reserved: Amounts): Budget {
  const entries = amountKinds.flatMap((kind) => {
    const limit = limits[kind];
    if (limit === undefined) return [];
    const one = { nanousd: 0, tokens: 0, calls: 0 };
    const left = minus({ ...one, [kind]: limit }, { ...one, [kind]: spent[kind] + reserved[kind] });
    return [[kind, left[kind]] as const];
  });
  return Object.fromEntries(entries);
}
