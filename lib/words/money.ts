// Says what calls of language models have cost, in the least words.
import { formatAmount } from "../model/amounts.ts";
import type { Amounts } from "../model/budget.ts";

/**
 * `$0.42`; `~$0.42` where a part of it is estimated; `$0.42 + ?` where the price of some calls is
 * not known, and of calls without any known price the tokens.
 */
export function money({
  nanousd,
  tokens,
  unpriced_calls: unpriced,
  estimated_nanousd: estimated = 0,
}: Omit<Amounts, "calls"> & { unpriced_calls: number; estimated_nanousd?: number }): string {
  const sum = `${estimated > 0 ? "~" : ""}${formatAmount("nanousd", nanousd)}`;
  if (unpriced === 0) return sum;
  return nanousd === 0 ? formatAmount("tokens", tokens) : `${sum} + ?`;
}
