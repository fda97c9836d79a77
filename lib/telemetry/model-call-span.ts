// The span of a call of a language model, by the conventions of OpenTelemetry for generative AI.
// Its event has no prompt and no answer.
import type { SettEvent } from "../model/event.ts";
import { spanIdOf, spanKeys, traceIdOf } from "../model/trace-ids.ts";
import { attributesOf, type FinishedSpan } from "./span.ts";

/** Undefined for an event that does not say whose call it was. */
export function modelCallSpan({
  goal_id,
  claim_id,
  agent,
  data = {},
  ...event
}: SettEvent): FinishedSpan | undefined {
  const { call, kind, attempt } = data;
  if (
    goal_id === undefined ||
    claim_id === undefined ||
    agent === undefined ||
    typeof call !== "string"
  )
    return undefined;
  const endMs = Date.parse(event.time);
  const text = (name: string) =>
    typeof data[name] === "string" && data[name] !== "" ? data[name] : undefined;
  const number = (name: string) => (typeof data[name] === "number" ? data[name] : undefined);
  const outcome = text("outcome");
  const requestedModel = text("asked");
  const error = outcome === undefined || outcome === "ok" ? undefined : outcome;
  const parent =
    kind === "bid" ? spanKeys.bids(claim_id) : spanKeys.tool(claim_id, agent, Number(attempt));
  return {
    kind: "model_call",
    name: requestedModel === undefined ? "chat" : `chat ${requestedModel}`,
    traceId: traceIdOf(goal_id),
    spanId: spanIdOf(spanKeys.modelCall(call)),
    parentId: spanIdOf(parent),
    startMs: endMs - Math.max(0, number("duration_ms") ?? 0),
    endMs,
    attributes: attributesOf({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": text("provider"),
      "gen_ai.request.model": requestedModel,
      "gen_ai.response.model": text("answered"),
      "gen_ai.usage.input_tokens": number("input"),
      "gen_ai.usage.output_tokens": number("output"),
      "gen_ai.usage.cache_read.input_tokens": number("cached"),
      "gen_ai.usage.reasoning.output_tokens": number("reasoning"),
      "gen_ai.agent.name": agent,
      "http.response.status_code": number("status") || undefined,
      "error.type": error,
      "sett.goal.id": goal_id,
      "sett.claim.id": claim_id,
      "sett.agent": agent,
      "sett.attempt": number("attempt") || undefined,
      "sett.model": text("model"),
      "sett.call.id": call,
      "sett.call.kind": typeof kind === "string" ? kind : undefined,
      "sett.call.tries": number("tries"),
      "sett.call.usd": number("usd"),
      "sett.call.is_estimated": data.estimated === true || undefined,
      "sett.call.is_unpriced": data.unpriced === true || undefined,
    }),
    error,
    events: [],
    droppedEvents: 0,
    links: [],
  };
}
