// The record of a call whose gateway died: it costs what that gateway had reckoned last, and the
// rest of its reservation is free.
import type { CallRecord, OpenCall } from "../../model/model-call.ts";

/**
 * `nowMs`: Unix milliseconds. `wasMade`: a gateway had begun the call; otherwise it may have died
 * before it knew that it had reserved, and nothing is charged.
 */
export function lostCall(
  { so_far, ...call }: OpenCall,
  nowMs: number,
  { wasMade }: { wasMade: boolean },
): CallRecord {
  const { tries, ...charge } = (wasMade ? so_far : undefined) ?? nothing;
  return {
    ...call,
    outcome: "lost",
    status: 0,
    problem:
      "The gateway ended during the call: what the provider counted is not known, and what had come is reckoned.",
    answered_model: "",
    ...charge,
    is_estimated: true,
    tries,
    duration_ms: Math.max(0, nowMs - Date.parse(call.started_at)),
  };
}

const nothing = {
  usage: { input: 0, output: 0, cached: 0, cache_write: 0, reasoning: 0 },
  cost: { nanousd: 0, tokens: 0, calls: 0 },
  is_unpriced: false,
  tries: 1,
};
