// Sums of what calls cost.
import { type Amounts, amountKinds, type Budget } from "./budget.ts";

export const noAmounts: Amounts = { nanousd: 0, tokens: 0, calls: 0 };

export function plus(one: Amounts, other: Amounts): Amounts {
  return { nanousd: one.nanousd + other.nanousd, tokens: one.tokens + other.tokens, calls: one.calls + other.calls };
}

/** Never below zero. */
export function minus(one: Amounts, other: Amounts): Amounts {
  const left = (kind: keyof Amounts) => Math.max(0, one[kind] - other[kind]);
  return { nanousd: left("nanousd"), tokens: left("tokens"), calls: left("calls") };
}

/** The limits with what was added to them; a dimension without a limit stays without one. */
export function raised(limits: Budget, added: Amounts): Budget {
  const entries = amountKinds.flatMap((kind) => {
    const limit = limits[kind];
    return limit === undefined ? [] : [[kind, limit + added[kind]] as const];
  });
  return Object.fromEntries(entries);
}
