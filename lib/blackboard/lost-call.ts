// The record of a call whose gateway died: what it had reserved is given back.
import type { CallRecord, OpenCall } from "../model/model-call.ts";

/** `nowMs`: Unix milliseconds. */
export function lostCall(call: OpenCall, nowMs: number): CallRecord {
  return {
    ...call,
    outcome: "lost",
    status: 0,
    problem: "The gateway ended during the call: what the provider counted is not known.",
    answered_model: "",
    usage: { input: 0, output: 0, cached: 0, cache_write: 0, reasoning: 0 },
    is_estimated: true,
    cost: { nanousd: 0, tokens: 0, calls: 0 },
    is_unpriced: false,
    tries: 1,
    duration_ms: Math.max(0, nowMs - Date.parse(call.started_at)),
  };
}
