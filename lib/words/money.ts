// Says what calls of language models have cost, in the least words.
import { formatAmount } from "../model/amounts.ts";
import type { Amounts } from "../model/budget.ts";

/**
 * `$0.42`; `$0.42 + ?` where the price of some calls is not known, and of calls without any known
 * price the tokens.
 */
export function money({
  nanousd,
  tokens,
  unpriced_calls: unpriced,
}: Omit<Amounts, "calls"> & { unpriced_calls: number }): string {
  if (unpriced === 0) return formatAmount("nanousd", nanousd);
  return nanousd === 0 ? formatAmount("tokens", tokens) : `${formatAmount("nanousd", nanousd)} + ?`;
}
