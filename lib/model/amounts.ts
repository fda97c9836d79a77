// Sums of what calls cost, and how people read them. Without zod, which is too large for the page.

/** The dimensions of a budget, in the order in which they are checked and shown. */
export const amountKinds = ["nanousd", "tokens", "calls"] as const;
export type AmountKind = (typeof amountKinds)[number];

/** `Amounts` and `Budget` of lib/model/budget.ts are the schemas of these. */
type Amounts = Record<AmountKind, number>;
type Budget = { [Kind in AmountKind]?: number | undefined };

export const nanosPerUsd = 1_000_000_000;

export const noAmounts: Amounts = { nanousd: 0, tokens: 0, calls: 0 };

export function plus(one: Amounts, other: Amounts): Amounts {
  return {
    nanousd: one.nanousd + other.nanousd,
    tokens: one.tokens + other.tokens,
    calls: one.calls + other.calls,
  };
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

/** `$0.42`, `12.3k tokens`, `1 call`. An amount below a cent shows its first two digits. */
export function formatAmount(kind: AmountKind, amount: number): string {
  if (kind === "nanousd") return formatUsd(amount / nanosPerUsd);
  const noun = kind === "tokens" ? "token" : "call";
  return `${formatCount(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

/**
 * `$0.42, 12.3k tokens, 3 calls`: the kinds that it has and that are not 0. Empty where there are
 * none.
 */
export function formatAmounts(amounts: Budget): string {
  return amountKinds
    .flatMap((kind) => (amounts[kind] ? [formatAmount(kind, amounts[kind])] : []))
    .join(", ");
}

function formatUsd(usd: number): string {
  if (usd === 0) return "$0";
  if (usd >= 0.01) return `$${usd.toFixed(2)}`;
  const places = Math.min(9, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(places).replace(/0+$/, "")}`;
}

function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  const [divisor, unit] = count < 999_950 ? [1_000, "k"] : [1_000_000, "M"];
  return `${(count / divisor).toFixed(1).replace(/\.0$/, "")}${unit}`;
}
