// The budget of a goal for people, and as JSON.

import type { BudgetReading } from "../../../lib/client/facts/budget.ts";
import type { PeriodReading } from "../../../lib/client/facts/period-budgets.ts";
import { shortCost } from "../../../lib/client/render/cost-text.ts";
import { oneLine, shorten } from "../../../lib/client/text/plain-text.ts";
import type { Layout, Style } from "../../../lib/client/text/style.ts";
import { amountKinds, formatAmount, formatAmounts } from "../../../lib/model/amounts.ts";
import type { Budget } from "../../../lib/model/budget.ts";
import { payerName, periodName } from "../../../lib/model/payer-name.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { type Cell, table } from "./table.ts";

const maxSummaryLength = 60;
const none = "-";

export function budgetReport(
  reading: BudgetReading,
  { style, columns }: Pick<Layout, "style" | "columns">,
): string[] {
  const { goal, summary, agents, models, tools, under_way: underWay, estimated, spent } = reading;
  const { estimated_nanousd: guess = 0 } = spent;
  const title = summary === "" ? "" : `  ${shorten(oneLine(summary), maxSummaryLength)}`;
  const lines = [`${style.bold(shortId(goal))}${title}`, ""];
  lines.push(
    ...table(
      ["BUDGET", "LIMIT", "SPENT", "RESERVED", "LEFT"],
      amountRows(reading, style),
      style,
      columns,
    ),
  );
  if (underWay > 0)
    lines.push(style.dim(`${underWay === 1 ? "1 call is" : `${underWay} calls are`} under way.`));
  if (estimated > 0)
    lines.push(
      style.dim(
        `The cost of ${estimated === 1 ? "1 call" : `${estimated} calls`}${guess === 0 ? "" : `, ${formatAmount("nanousd", guess)} of the money,`} is estimated: it ended early, or its provider did not say what it used.`,
      ),
    );
  if (spent.calls === 0) lines.push(style.dim("No call of a model has ended."));
  if (agents.length > 0)
    lines.push(
      "",
      ...table(
        ["AGENT", "MODEL", "CALLS", "TOKENS", "COST", "A GRANT MAY COST"],
        agentRows(reading, style),
        style,
        columns,
      ),
    );
  if (models.length > 0)
    lines.push(
      "",
      ...table(
        ["MODEL", "CALLS", "INPUT", "CACHED", "OUTPUT", "COST", "ANSWERED BY"],
        modelRows(reading, style),
        style,
        columns,
      ),
    );
  if (tools.length > 0)
    lines.push(
      "",
      ...table(["TOOLS OF", "CALLS", "COST"], toolRows(reading, style), style, columns),
    );
  return lines;
}

function toolRows({ tools }: BudgetReading, style: Style): Cell[][] {
  return tools.map(({ name, calls, nanousd }) => [
    { text: name, paint: style.bold },
    { text: String(calls) },
    { text: formatAmount("nanousd", nanousd) },
  ]);
}

/** The budgets of this day and this month; nothing where there are none. */
export function periodReport(
  readings: readonly PeriodReading[],
  { style, columns }: Pick<Layout, "style" | "columns">,
): string[] {
  if (readings.length === 0) return [];
  const rows = readings.map(({ whose, period, limits, spent, reserved, isHeld }): Cell[] => [
    { text: periodName(period), paint: style.bold },
    { text: oneLine(payerName(whose)) },
    { text: limitText(limits) },
    { text: formatAmounts(spent) || "$0" },
    { text: formatAmounts(reserved) || none },
    isHeld ? { text: "held", paint: style.red } : { text: "" },
  ]);
  const head = ["PERIOD", "OF", "LIMIT", "SPENT", "RESERVED", "NEW WORK"];
  return ["", ...table(head, rows, style, columns)];
}

function amountRows({ limits, spent, reserved, added }: BudgetReading, style: Style): Cell[][] {
  return amountKinds.map((kind) => {
    const limit = limits[kind];
    const left =
      limit === undefined ? undefined : Math.max(0, limit - spent[kind] - reserved[kind]);
    const more =
      limit !== undefined && added[kind] > 0 ? ` (${formatAmount(kind, added[kind])} added)` : "";
    const show = (amount: number) => formatAmount(kind, amount).replace(/ \w+$/, "");
    return [
      { text: kind === "nanousd" ? "money" : kind, paint: style.bold },
      { text: limit === undefined ? "none" : `${show(limit)}${more}` },
      { text: show(spent[kind]) },
      { text: show(reserved[kind]) },
      { text: left === undefined ? none : show(left), ...(left === 0 && { paint: style.red }) },
    ];
  });
}

function agentRows({ agents }: BudgetReading, style: Style): Cell[][] {
  return agents.map(({ name, model, limits, cost, under_way: underWay }) => [
    { text: name, paint: style.bold },
    { text: oneLine(model) },
    { text: underWay === 0 ? String(cost.calls) : `${cost.calls} + ${underWay}` },
    { text: formatAmount("tokens", cost.tokens).replace(/ \w+$/, "") },
    { text: shortCost(cost) || formatAmounts({ nanousd: cost.nanousd }) || none },
    { text: limitText(limits) },
  ]);
}

/** A limit of 0 is a limit, too. */
function limitText(limits: Budget): string {
  return (
    amountKinds
      .flatMap((kind) => (limits[kind] === undefined ? [] : [formatAmount(kind, limits[kind])]))
      .join(", ") || none
  );
}

function modelRows({ models }: BudgetReading, style: Style): Cell[][] {
  const count = (tokens: number) => formatAmounts({ tokens }).replace(/ \w+$/, "") || "0";
  return models.map(({ name, answered, cost, usage }) => [
    { text: oneLine(name), paint: style.bold },
    { text: String(cost.calls) },
    { text: count(usage.input) },
    { text: count(usage.cached) },
    { text: count(usage.output) },
    { text: cost.unpriced_calls === 0 ? shortCost(cost) || none : "not known" },
    { text: oneLine(answered.join(", ")) || none },
  ]);
}
