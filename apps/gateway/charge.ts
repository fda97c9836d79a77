// What a call that has ended has cost.
import type { Amounts } from "../../lib/model/budget.ts";
import type { ModelSettings } from "../../lib/model/config-models.ts";
import type { CallRecord } from "../../lib/model/model-call.ts";
import { costOf, type MeasuredUsage } from "../../lib/models/cost.ts";
import type { Bound } from "../../lib/models/worst-case.ts";

export type Charge = Pick<CallRecord, "usage" | "is_estimated" | "cost" | "is_unpriced">;

/**
 * `usage`: what the provider has reported. `begun`: the input, where only the beginning of the answer is known. `mayHaveCost`: the provider
 * may have worked although it reported nothing; the reservation is then what it may have cost. `tries`: how often it was asked.
 */
export type Measured = {
  usage?: MeasuredUsage | undefined;
  begun?: MeasuredUsage | undefined;
  mayHaveCost: boolean;
  tries: number;
};

export function chargeOf(
  { usage, begun, mayHaveCost, tries }: Measured,
  { bound, reserved, price }: { bound: Bound; reserved: Amounts; price: ModelSettings["price"] },
): Charge {
  const is_unpriced = price === undefined;
  if (usage !== undefined) return { ...charged(usage, costOf(usage, price)), is_estimated: false, is_unpriced };
  if (!mayHaveCost) {
    // What the provider was never asked is no call.
    const cost = { nanousd: 0, tokens: 0, calls: Math.min(1, tries) };
    return { ...charged(nothing, 0), cost, is_estimated: false, is_unpriced };
  }
  if (begun !== undefined && begun.input > 0) {
    const most = { ...begun, output: Math.max(begun.output, bound.output) };
    return { ...charged(most, costOf(most, price)), is_estimated: true, is_unpriced };
  }
  const most = { ...nothing, input: bound.input, output: bound.output };
  return { ...charged(most, reserved.nanousd), is_estimated: true, is_unpriced };
}

const nothing: MeasuredUsage = { input: 0, output: 0, cached: 0, cache_write: 0, reasoning: 0, long_cache_write: 0 };

function charged({ long_cache_write: _, ...usage }: MeasuredUsage, nanousd: number): Pick<Charge, "usage" | "cost"> {
  return { usage, cost: { nanousd, tokens: usage.input + usage.output, calls: 1 } };
}
