// Counts calls of the gateway, for Prometheus.
import { newMetrics } from "../../lib/service/metrics.ts";

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export function createGatewayMetrics() {
  const { registry, counter, gauge, histogram } = newMetrics();
  return {
    registry,
    calls: counter(
      "sett_gateway_calls_total",
      "Calls of models that have ended, by outcome.",
      "model",
      "outcome",
    ),
    refusals: counter(
      "sett_gateway_refusals_total",
      "Errors of the gateway itself, by the code in `x-sett-error`.",
      "code",
    ),
    tokens: counter(
      "sett_gateway_tokens_total",
      "Tokens, by kind: input (with cached and cache_write), output (with reasoning).",
      "model",
      "kind",
    ),
    cost: counter(
      "sett_gateway_cost_usd_total",
      "What the calls have cost, in US dollars.",
      "model",
    ),
    retries: counter(
      "sett_gateway_retries_total",
      "How often a provider was asked again.",
      "model",
    ),
    duration: histogram(
      "sett_gateway_call_seconds",
      "From the request to the end of the answer.",
      seconds,
      "model",
    ),
    firstByte: histogram(
      "sett_gateway_first_byte_seconds",
      "From the request to the first byte of the answer.",
      seconds,
      "model",
    ),
    queued: gauge("sett_gateway_queued_calls", "Calls that wait for their turn.", "model"),
    reservations: gauge(
      "sett_gateway_reservations",
      "Calls under way, each with a reservation in its budgets.",
    ),
    unsaved: gauge(
      "sett_gateway_unsaved_calls",
      "Calls that have ended, and whose records Redis has not taken yet.",
    ),
  };
}
