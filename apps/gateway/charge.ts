// Says what a call that has ended has cost.
import type { Amounts } from "../../lib/model/budget.ts";
import type { ModelSettings } from "../../lib/model/config-models.ts";
import type { CallRecord } from "../../lib/model/model-call.ts";
import { type Came, nothingCame } from "../../lib/models/answer-size.ts";
import { costOf, type MeasuredUsage, noUsage } from "../../lib/models/cost.ts";
import { type Facts, isPossibleInput, isPossibleOutput, reckon } from "../../lib/models/reckon.ts";

export type Charge = Pick<CallRecord, "usage" | "is_estimated" | "cost" | "is_unpriced">;

/**
 * `usage`: what the provider has reported of the whole answer. `begun`: what it has said before the
 * end. `came`: how much of the answer has come. `mayHaveCost`: the provider may have worked
 * although it reported nothing. `tries`: how often it was asked. `lost`: how long each try took
 * whose connection ended without an answer, and which may have its price as well.
 */
export type Measured = {
  usage?: MeasuredUsage | undefined;
  begun?: MeasuredUsage | undefined;
  came?: Came | undefined;
  isWhole?: boolean;
  mayHaveCost: boolean;
  tries: number;
  lost?: readonly number[];
};

/** The call as it is known beside its answer. `workedMs`: since the provider was asked. */
export type Terms = Pick<Facts, "request" | "bound" | "workedMs"> & {
  model: Pick<ModelSettings, "model" | "price">;
  reserved: Amounts;
};

export function chargeOf(measured: Measured, terms: Terms): Charge {
  const { lost = [] } = measured;
  const last = chargeOfLast(measured, terms);
  return lost.reduce((charge, ms) => withLost(charge, ms, terms), last);
}

/**
 * Each try that was lost costs what was sent, and what an answer that is no stream may have had by
 * then; what is reserved is the most of all tries together.
 */
function withLost(charge: Charge, ms: number, terms: Terms): Charge {
  const { request, model, bound, reserved } = terms;
  // A connection that ends at once has no answer lost.
  const workedMs = Math.floor(ms / 1_000) * 1_000;
  const facts: Facts = { request, model, bound, came: nothingCame, isWhole: false, workedMs };
  const likely = reckon(undefined, facts);
  const { usage, cost } = charge;
  const output = Math.min(likely.output, Math.max(0, reserved.tokens - cost.tokens));
  const input = Math.min(likely.input, Math.max(0, reserved.tokens - cost.tokens - output));
  const most = Math.max(0, reserved.nanousd - cost.nanousd);
  const nanousd = Math.min(costOf({ ...likely, input, output }, model.price), most);
  return {
    ...charge,
    usage: { ...usage, input: usage.input + input, output: usage.output + output },
    cost: { ...cost, nanousd: cost.nanousd + nanousd, tokens: cost.tokens + input + output },
    is_estimated: true,
  };
}

function chargeOfLast(
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
    return { ...charged(noUsage, 0), cost, is_estimated: false, is_unpriced };
  }
  const likely = reckon(usage ?? begun, facts);
  // Only an answer that is longer than it may be costs more than was reserved.
  const nanousd =
    likely.output > bound.output
      ? costOf(likely, price)
      : Math.min(costOf(likely, price), reserved.nanousd);
  return { ...charged(likely, nanousd), is_estimated: true, is_unpriced };
}

function charged(
  { long_cache_write: _, ...usage }: MeasuredUsage,
  nanousd: number,
): Pick<Charge, "usage" | "cost"> {
  return { usage, cost: { nanousd, tokens: usage.input + usage.output, calls: 1 } };
}
