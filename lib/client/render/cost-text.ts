// Says what calls of language models have cost, in words and as JSON.
import type { Cost } from "../../core/call-costs.ts";
import { amountKinds, formatAmount, formatAmounts, nanosPerUsd } from "../../model/amounts.ts";
import type { Amounts, Budget } from "../../model/budget.ts";
import { money } from "../../words/money.ts";
import type { GoalCost } from "../facts/costs.ts";

/**
 * `$0.42, 12.3k tokens, 3 calls, $0.10 of it estimated`; empty where there were no calls. Says
 * where a price is not known.
 */
export function costText(cost: Cost): string {
  const { estimated_nanousd: estimated = 0 } = cost;
  const part = estimated === 0 ? "" : `, ${formatAmount("nanousd", estimated)} of it estimated`;
  const text = `${formatAmounts(cost)}${part}`;
  if (cost.unpriced_calls === 0) return text;
  if (cost.unpriced_calls >= cost.calls) return `${text}, price not known`;
  return `${text}, ${cost.unpriced_calls} of them at a price that is not known`;
}

/** Writes for a table the money, or what is known instead. */
export function shortCost(cost: Cost | undefined): string {
  return cost === undefined || cost.calls === 0 ? "" : money(cost);
}

/** The artefact as JSON shows it: with its cost, where calls were made for it. */
export function withCost<Shown extends object>(artefact: Shown, cost: Cost | undefined) {
  return cost === undefined ? artefact : { ...artefact, cost: costJson(cost) };
}

export function costJson(cost: Cost) {
  const { unpriced_calls, estimated_nanousd = 0 } = cost;
  return { ...amountsJson(cost), unpriced_calls, estimated_usd: estimated_nanousd / nanosPerUsd };
}

/** Money in US dollars. */
export function amountsJson({ nanousd, tokens, calls }: Amounts) {
  return { usd: nanousd / nanosPerUsd, tokens, calls };
}

/** Null where a kind has no limit. */
export function budgetJson(budget: Budget) {
  const [usd, tokens, calls] = amountKinds.map((kind) => budget[kind] ?? null);
  return {
    usd: typeof usd === "number" ? usd / nanosPerUsd : null,
    tokens: tokens ?? null,
    calls: calls ?? null,
  };
}

/** Null where there were no calls. */
export function goalCostJson(cost: GoalCost | undefined) {
  if (cost === undefined) return null;
  const agents = Object.fromEntries(
    [...cost.agents].map(([agent, ofAgent]) => [agent, costJson(ofAgent)]),
  );
  return { ...costJson(cost.total), calls_under_way: cost.under_way, agents };
}

/** `$0.42, 12.3k tokens, 31 calls (coder $0.31, reviewer $0.11), 1 call under way`. */
export function goalCostText({ total, agents, under_way: underWay }: GoalCost): string {
  const ofAgents = [...agents]
    .map(([agent, cost]) => `${agent} ${shortCost(cost) || "$0"}`)
    .join(", ");
  const parts = [
    ...(total.calls === 0
      ? []
      : [
          `${costText(total)}${agents.size > 1 ? ` (${ofAgents})` : ` (${[...agents.keys()].join("")})`}`,
        ]),
    ...(underWay === 0 ? [] : [`${formatAmount("calls", underWay)} under way`]),
  ];
  return parts.join(", ");
}
