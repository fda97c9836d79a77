// What the log says of calls of language models, and of budgets, in words.
import { formatAmount, formatAmounts, nanosPerUsd } from "../../model/budget.ts";
import type { SettEvent } from "../../model/event.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Style } from "../text/style.ts";

/** `claim`: as the line names it. A call that has gone well is one of many. */
export function callLine(event: SettEvent, claim: string, style: Style): { text: string; weight: "major" | "minor" } {
  const data = event.data ?? {};
  const outcome = String(data.outcome ?? "");
  const what = `${oneLine(String(data.model ?? "a model"))} for ${event.agent ?? "an agent"} on ${claim}`;
  if (outcome === "ok") return { text: `asks ${what}: ${costOf(data)}`, weight: "minor" };
  const problem = data.problem === undefined ? "" : `: ${oneLine(String(data.problem))}`;
  return { text: `a call of ${what} ${style.red(endings[outcome] ?? "has ended")}${problem}`, weight: "major" };
}

/** `$5.00, 200k tokens`. */
export function raisedBy({ data = {} }: SettEvent): string {
  return formatAmounts({ nanousd: nanosOf(data.usd), tokens: Number(data.tokens ?? 0), calls: Number(data.calls ?? 0) });
}

type Data = NonNullable<SettEvent["data"]>;

function costOf({ input = 0, output = 0, usd, unpriced, duration_ms = 0 }: Data): string {
  const price = unpriced === true ? "price not known" : formatAmount("nanousd", nanosOf(usd));
  const seconds = `${(Number(duration_ms) / 1_000).toFixed(1)} s`;
  return [formatAmount("tokens", Number(input) + Number(output)), price, seconds].join(", ");
}

function nanosOf(usd: Data[string] | undefined): number {
  return Math.round(Number(usd ?? 0) * nanosPerUsd);
}

const endings: Readonly<Record<string, string>> = {
  refused: "was refused",
  failed: "has failed",
  cancelled: "was cancelled",
  lost: "was lost",
};
