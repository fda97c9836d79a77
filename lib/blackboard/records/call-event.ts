// The event of a call of a language model that has ended: small and flat.
import { nanosPerUsd } from "../../model/amounts.ts";
import type { EventDraft } from "../../model/event.ts";
import type { CallRecord } from "../../model/model-call.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";

/** Longer problems are shortened: the record has the whole one. */
const maxProblemLength = 300;

export function callEvent(record: CallRecord): EventDraft {
  const { usage, cost } = record;
  const data = {
    call: record.id,
    kind: record.kind,
    attempt: record.attempt,
    model: record.model,
    provider: record.provider,
    asked: record.asked_model,
    answered: record.answered_model,
    outcome: record.outcome,
    status: record.status,
    input: usage.input,
    output: usage.output,
    cached: usage.cached,
    reasoning: usage.reasoning,
    usd: cost.nanousd / nanosPerUsd,
    duration_ms: record.duration_ms,
    tries: record.tries,
    ...withoutUndefined({
      instead_of: record.instead_of,
      estimated: record.is_estimated || undefined,
      unpriced: record.is_unpriced || undefined,
      problem: record.problem?.slice(0, maxProblemLength),
      request: record.request?.digest,
      answer: record.answer?.digest,
    }),
  };
  const { goal_id, claim_id, artefact_id, agent } = record;
  return { type: "model_called", goal_id, claim_id, artefact_id, agent, data };
}
