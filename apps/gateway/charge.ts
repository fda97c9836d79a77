// Says what a call that has ended has cost.
import type { Amounts } from "../../lib/model/budget.ts";
import type { ModelSettings } from "../../lib/model/config-models.ts";
import type { CallRecord } from "../../lib/model/model-call.ts";
import { type Came, nothingCame } from "../../lib/models/answer-size.ts";
import { costOf, type MeasuredUsage } from "../../lib/models/cost.ts";
import { type Facts, isPossibleInput, isPossibleOutput, reckon } from "../../lib/models/reckon.ts";

export type Charge = Pick<CallRecord, "usage" | "is_estimated" | "cost" | "is_unpriced">;

/**
 * `usage`: what the provider has reported of the whole answer. `begun`: what it has said before the
 * end. `came`: how much of the answer has come. `mayHaveCost`: the provider may have worked
 * although it reported nothing. `tries`: how often it was asked.
 */
export type Measured = {
  usage?: MeasuredUsage | undefined;
  begun?: MeasuredUsage | undefined;
  came?: Came | undefined;
  isWhole?: boolean;
  mayHaveCost: boolean;
  tries: number;
};

/** The call as it is known beside its answer. `workedMs`: since the provider was asked. */
export type Terms = Pick<Facts, "request" | "bound" | "workedMs"> & {
  model: Pick<ModelSettings, "model" | "price">;
  reserved: Amounts;
};

export function chargeOf(
  { usage, begun, came = nothingCame, isWhole = false, mayHaveCost, tries }: Measured,
  { request, model, bound, workedMs, reserved }: Terms,
): Charge {
  const { price } = model;
  const is_unpriced = price === undefined;
  const facts: Facts = { request, model, bound, came, isWhole, workedMs };
  if (usage !== undefined && isPossibleInput(usage, facts) && isPossibleOutput(usage.output, facts))
    return { ...charged(usage, costOf(usage, price)), is_estimated: false, is_unpriced };
  if (!mayHaveCost) {
    // A request that no provider was asked with is no call.
    const cost = { nanousd: 0, tokens: 0, calls: Math.min(1, tries) };
    return { ...charged(nothing, 0), cost, is_estimated: false, is_unpriced };
  }
  const likely = reckon(usage ?? begun, facts);
  // Only an answer that is longer than it may be costs more than was reserved.
  const nanousd =
    likely.output > bound.output
      ? costOf(likely, price)
      : Math.min(costOf(likely, price), reserved.nanousd);
  return { ...charged(likely, nanousd), is_estimated: true, is_unpriced };
}

const nothing: MeasuredUsage = {
  input: 0,
  output: 0,
  cached: 0,
  cache_write: 0,
  reasoning: 0,
  long_cache_write: 0,
};

function charged(
  { long_cache_write: _, ...usage }: MeasuredUsage,
  nanousd: number,
): Pick<Charge, "usage" | "cost"> {
  return { usage, cost: { nanousd, tokens: usage.input + usage.output, calls: 1 } };
}
