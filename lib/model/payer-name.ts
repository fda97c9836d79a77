// Names a payer and a day or month of its budget, for people.
import { shellWord } from "./shell-word.ts";
import type { Payer, PeriodId } from "./spending.ts";

/** `the instance`, `ada@example.org`, `the trigger nightly`. */
export function payerName(payer: Payer): string {
  if (payer === "instance") return "the instance";
  const name = payer.slice(payer.indexOf(":") + 1);
  return payer.startsWith("trigger:") ? `the trigger ${name}` : name;
}

/**
 * What `sett budget --of` takes for it, as a person types it: people choose their names, which may
 * be of several words, or look like a command or another payer.
 */
export function payerWord(payer: Payer): string {
  return shellWord(payer.replace(/^person:(?!instance$|trigger:|person:)/, ""));
}

/** `2026-11-26`, `November 2026`. */
export function periodName(id: PeriodId | string): string {
  const [period, date = ""] = id.split(":");
  if (period !== "month") return date;
  const format = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  const at = new Date(`${date}-01T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? date : new Intl.DateTimeFormat("en-GB", format).format(at);
}

/** `the budget of the instance for 2026-11-26`. */
export function periodBudget(payer: Payer, period: PeriodId | string): string {
  return `the budget of ${payerName(payer)} for ${periodName(period)}`;
}
