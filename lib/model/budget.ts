// Budgets of model calls: amounts of money, tokens and calls, as sett.yml and `sett budget` write
// them.
import { z } from "zod";
import { type AmountKind, amountKinds, nanosPerUsd } from "./amounts.ts";

/**
 * A sum of what calls have cost, or may cost. Money is in nano-dollars (1e-9 US dollars), so that
 * sums are exact. Tokens are input and output together. All are whole numbers.
 */
export const Amounts = z.strictObject({
  nanousd: z.int().min(0),
  tokens: z.int().min(0),
  calls: z.int().min(0),
});
export type Amounts = z.infer<typeof Amounts>;

/**
 * The limits of a goal or of a grant. A dimension that is missing has no limit; 0 allows nothing.
 */
export const Budget = Amounts.partial();
export type Budget = z.infer<typeof Budget>;

const maxUsd = 1_000_000;
const maxCount = 1_000_000_000_000;

const countPattern = /^(\d+(?:\.\d+)?)([kKmM]?)$/;
const factorOf: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/** `500`, `200k` or `2M` → a whole number; unlike sizes in bytes, `k` is a thousand. */
const Count = z
  .union([z.int().min(0), z.string().meta({ pattern: countPattern.source })], {
    error: "must be a whole number such as `500`, `200k` or `2M`",
  })
  .transform((text, context) => {
    const [, digits, unit = ""] = countPattern.exec(String(text)) ?? [];
    const count = Number(digits) * (factorOf[unit.toLowerCase()] ?? 1);
    if (Number.isInteger(count) && count <= maxCount) return count;
    context.addIssue({
      code: "custom",
      message: "must be a whole number such as `500`, `200k` or `2M`",
    });
    return z.NEVER;
  });

const Usd = z
  .number({ error: "must be an amount in US dollars such as `5` or `0.50`" })
  .min(0, { error: "must not be negative" })
  .max(maxUsd, { error: "must be at most 1000000" })
  .transform((usd) => Math.round(usd * nanosPerUsd));

/** `{ usd: 5, tokens: 2M, calls: 500 }` of sett.yml. */
export const BudgetFile = z
  .strictObject({
    usd: Usd.optional().describe("US dollars, by the prices of the models."),
    tokens: Count.optional().describe("Input and output tokens together, such as `2M`."),
    calls: Count.optional().describe("How many calls."),
  })
  .transform(
    ({ usd, ...counts }): Budget => (usd === undefined ? counts : { nanousd: usd, ...counts }),
  );

const amountText = "must be an amount such as `5usd`, or a map with `usd`, `tokens` and `calls`";

/** `5usd`, `5usd, 200k tokens`, or the same as a map. */
export const BudgetText = z
  .union([z.string(), BudgetFile], { error: amountText })
  .transform((budget, context): Budget => {
    if (typeof budget !== "string") return budget;
    const read = readAmounts(budget);
    if ("problem" in read) {
      context.addIssue({ code: "custom", message: `${read.problem}: write ${amountsSyntax}` });
      return z.NEVER;
    }
    const named = amountKinds.filter((kind) => read.amounts[kind] > 0);
    return Object.fromEntries(named.map((kind) => [kind, read.amounts[kind]]));
  });

/** Error messages show what people type. */
export const amountsSyntax = "`5usd`, `200k tokens`, `50 calls`, or one of each with commas";

const amountPattern =
  /^(?:\$\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*([km]?)\s*(usd|dollars?|tokens?|calls?))$/i;

/**
 * `5usd, 200k tokens` → amounts, more than nothing, one of each kind. `problem`: a clause after the
 * name of the text.
 */
export function readAmounts(text: string): { amounts: Amounts } | { problem: string } {
  const amounts: Amounts = { nanousd: 0, tokens: 0, calls: 0 };
  const seen = new Set<AmountKind>();
  // In `$1,500 tokens` the comma may separate two amounts, or be part of one number.
  if (/\d,\d/.test(text))
    return { problem: "has a comma between digits: write `1000`, and a blank after a comma" };
  for (const part of text.split(",")) {
    const [, dollars, digits = dollars, factor = "", unit = "usd"] =
      amountPattern.exec(part.trim()) ?? [];
    if (digits === undefined) return { problem: problemOf(part.trim()) };
    const kind = kindOfUnit(unit.toLowerCase());
    if (seen.has(kind))
      return { problem: `names more than one amount of ${nounOf[kind]}: write one` };
    seen.add(kind);
    const number = Number(digits) * (factorOf[factor.toLowerCase()] ?? 1);
    if (number > (kind === "nanousd" ? maxUsd : maxCount))
      return { problem: "is more than can be added at a time" };
    if (kind !== "nanousd" && !Number.isInteger(number))
      return { problem: `has a fraction of ${oneOf[kind]}` };
    amounts[kind] = kind === "nanousd" ? Math.round(number * nanosPerUsd) : number;
  }
  return amountKinds.some((kind) => amounts[kind] > 0) ? { amounts } : { problem: "adds nothing" };
}

const nounOf: Readonly<Record<AmountKind, string>> = {
  nanousd: "money",
  tokens: "tokens",
  calls: "calls",
};
const oneOf: Readonly<Record<AmountKind, string>> = {
  nanousd: "a dollar",
  tokens: "a token",
  calls: "a call",
};
const otherUnit = /^(?:([€£¥₹₩])\s*\d+(?:\.\d+)?|\d+(?:\.\d+)?\s*([^\s\d.,]{1,12}))$/u;

function problemOf(part: string): string {
  if (/^-|^\$\s*-/.test(part)) return "is below nothing";
  if (/^\d+(?:\.\d+)?$/.test(part)) return "has no unit";
  const [, sign, unit = sign] = otherUnit.exec(part) ?? [];
  if (unit !== undefined) return `has \`${unit}\` where a unit is expected`;
  return "is no amount";
}

function kindOfUnit(unit: string): AmountKind {
  if (unit.startsWith("token")) return "tokens";
  return unit.startsWith("call") ? "calls" : "nanousd";
}
