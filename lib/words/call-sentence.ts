// Writes what the log says of calls of language models, and of budgets.
import { amountKinds, formatAmount, formatAmounts, nanosPerUsd } from "../model/amounts.ts";
import type { SettEvent } from "../model/event.ts";
import { periodBudget } from "../model/payer-name.ts";
import { say, toned } from "./segment.ts";
import type { Facts, Sentence } from "./sentence.ts";

/** A call that has gone well is one of many. */
export function callSentence({
  event,
  field,
  claim,
  agent,
}: Facts): Pick<Sentence, "segments" | "weight"> {
  const first = field("instead_of");
  const model = `${field("model") || "a model"}${first === "" ? "" : `, in place of ${first},`}`;
  const what = say`${model} for ${agent} on ${claim}`;
  const outcome = field("outcome");
  if (outcome === "ok") return { segments: say`asks ${what}: ${costOf(event)}`, weight: "minor" };
  const problem = field("problem") === "" ? [] : say`: ${field("problem")}`;
  return {
    segments: say`a call of ${what} ${toned("bad", endings[outcome] ?? "has ended")}${problem}`,
    weight: "major",
  };
}

export function raisedBudget({ agent, data = {} }: SettEvent): string {
  const { whose, period } = data;
  if (period !== undefined) return periodBudget(String(whose ?? ""), String(period));
  return `the budget of ${agent ?? "the goal"}`;
}

/** `$41.20 of the $50.00`. */
export function spentOf({ data = {} }: SettEvent): string {
  const kind = amountKinds.find((one) => one === data.kind) ?? "nanousd";
  const [spent, limit] = [Number(data.spent ?? 0), Number(data.limit ?? 0)];
  return `${formatAmount(kind, spent)} are spent of the ${formatAmount(kind, limit)}`;
}

/** `$5.00, 200k tokens`. */
export function raisedBy({ data = {} }: SettEvent): string {
  return formatAmounts({
    nanousd: nanosOf(data.usd),
    tokens: Number(data.tokens ?? 0),
    calls: Number(data.calls ?? 0),
  });
}

function costOf({ data = {} }: SettEvent): string {
  const { input = 0, output = 0, usd, unpriced, duration_ms = 0 } = data;
  const price = unpriced === true ? "price not known" : formatAmount("nanousd", nanosOf(usd));
  const seconds = `${(Number(duration_ms) / 1_000).toFixed(1)} s`;
  return [formatAmount("tokens", Number(input) + Number(output)), price, seconds].join(", ");
}

function nanosOf(usd: NonNullable<SettEvent["data"]>[string] | undefined): number {
  return Math.round(Number(usd ?? 0) * nanosPerUsd);
}

const endings: Readonly<Record<string, string>> = {
  refused: "was refused",
  failed: "has failed",
  cancelled: "was cancelled",
  lost: "was lost",
};
