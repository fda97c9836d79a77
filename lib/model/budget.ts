// Budgets of model calls: amounts of money, tokens and calls, as sett.yml and `sett budget` write them.
import { z } from "zod";

/**
 * What calls have cost, or may cost. Money is in nano-dollars (1e-9 US dollars), so that sums are exact. Tokens are input and output
 * together. All are whole numbers.
 */
export const Amounts = z.strictObject({ nanousd: z.int().min(0), tokens: z.int().min(0), calls: z.int().min(0) });
export type Amounts = z.infer<typeof Amounts>;

/** The dimensions of a budget, in the order in which they are checked and shown. */
export const amountKinds = ["nanousd", "tokens", "calls"] as const satisfies readonly (keyof Amounts)[];
export type AmountKind = (typeof amountKinds)[number];

/** The limits of a goal or of a grant. A dimension that is missing has no limit; 0 allows nothing. */
export const Budget = Amounts.partial();
export type Budget = z.infer<typeof Budget>;

export const nanosPerUsd = 1_000_000_000;
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
    context.addIssue({ code: "custom", message: "must be a whole number such as `500`, `200k` or `2M`" });
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
  .transform(({ usd, ...counts }): Budget => (usd === undefined ? counts : { nanousd: usd, ...counts }));
