import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { callEvent } from "../../../../lib/blackboard/records/call-event.ts";
import { CallRecord } from "../../../../lib/model/model-call.ts";
import { spanIdOf, spanKeys } from "../../../../lib/model/trace-ids.ts";
import { modelCallSpan } from "../../../../lib/telemetry/model-call-span.ts";
import { newArtefactId, newClaimId, newGoalId } from "../../../support/records/sample.ts";

const record = (over: Partial<CallRecord> = {}) =>
  CallRecord.parse({
    ...{
      id: randomUUID(),
      goal_id: newGoalId(),
      claim_id: newClaimId(),
      artefact_id: newArtefactId(),
      agent: "coder",
    },
    ...{
      kind: "grant",
      attempt: 2,
      model: "strong",
      provider: "anthropic",
      api: "messages",
      asked_model: "claude-opus",
    },
    ...{
      is_stream: true,
      reserved: { nanousd: 1, tokens: 1, calls: 1 },
      started_at: "2026-01-01T00:00:00.000Z",
    },
    ...{
      outcome: "ok",
      status: 200,
      answered_model: "claude-opus-5",
      is_estimated: false,
      is_unpriced: false,
      tries: 1,
    },
    usage: { input: 900, output: 60, cached: 500, cache_write: 0, reasoning: 20 },
    cost: { nanousd: 2_500_000, tokens: 960, calls: 1 },
    duration_ms: 1_250,
    ...over,
  });

/** As it comes back from the log. */
const spanOf = (call: CallRecord) =>
  modelCallSpan({
    ...callEvent(call),
    id: "1767225600000-0",
    time: "2026-01-01T00:00:00.000Z",
    actor: "gateway",
  });

test("what the gateway logs of a call becomes a span by OpenTelemetry's conventions", () => {
  const call = record();
  const span = spanOf(call);
  expect(span).toMatchObject({
    name: "chat claude-opus",
    parentId: spanIdOf(spanKeys.tool(call.claim_id, "coder", 2)),
    error: undefined,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-opus",
      "gen_ai.response.model": "claude-opus-5",
      "gen_ai.usage.input_tokens": 900,
      "gen_ai.usage.output_tokens": 60,
      "gen_ai.usage.cache_read.input_tokens": 500,
      "gen_ai.usage.reasoning.output_tokens": 20,
      "http.response.status_code": 200,
      "sett.model": "strong",
      "sett.call.usd": 0.0025,
    },
  });
  expect((span?.endMs ?? 0) - (span?.startMs ?? 0)).toBe(1_250);
});

test("a call that ends badly is an error of its outcome, without the sentence that says why", () => {
  const span = spanOf(
    record({ outcome: "cancelled", status: 0, problem: "a secret sentence", is_estimated: true }),
  );
  expect(span).toMatchObject({
    error: "cancelled",
    attributes: { "error.type": "cancelled", "sett.call.is_estimated": true },
  });
  expect(span?.attributes).not.toHaveProperty("http.response.status_code");
  expect(JSON.stringify(span)).not.toContain("secret");
});

test("the call of a bid is a child of the bidding", () => {
  const call = record({ kind: "bid", attempt: 0 });
  expect(spanOf(call)).toMatchObject({ parentId: spanIdOf(spanKeys.bids(call.claim_id)) });
});
