// Counts calls of the gateway, for Prometheus.
import { Counter, Gauge, Histogram, Registry } from "prom-client";

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export function createGatewayMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    calls: new Counter({
      name: "sett_gateway_calls_total",
      help: "Calls of models that have ended, by outcome.",
      labelNames: ["model", "outcome"],
      registers,
    }),
    refusals: new Counter({
      name: "sett_gateway_refusals_total",
      help: "Errors of the gateway itself, by the code in `x-sett-error`.",
      labelNames: ["code"],
      registers,
    }),
    tokens: new Counter({
      name: "sett_gateway_tokens_total",
      help: "Tokens, by kind: input (with cached and cache_write), output (with reasoning).",
      labelNames: ["model", "kind"],
      registers,
    }),
    cost: new Counter({
      name: "sett_gateway_cost_usd_total",
      help: "What the calls have cost, in US dollars.",
      labelNames: ["model"],
      registers,
    }),
    retries: new Counter({
      name: "sett_gateway_retries_total",
      help: "How often a provider was asked again.",
      labelNames: ["model"],
      registers,
    }),
    duration: new Histogram({
      name: "sett_gateway_call_seconds",
      help: "From the request to the end of the answer.",
      labelNames: ["model"],
      buckets: seconds,
      registers,
    }),
    firstByte: new Histogram({
      name: "sett_gateway_first_byte_seconds",
      help: "From the request to the first byte of the answer.",
      labelNames: ["model"],
      buckets: seconds,
      registers,
    }),
    queued: new Gauge({
      name: "sett_gateway_queued_calls",
      help: "Calls that wait for their turn.",
      labelNames: ["model"],
      registers,
    }),
    reservations: new Gauge({
      name: "sett_gateway_reservations",
      help: "Calls under way, each with a reservation in its budgets.",
      registers,
    }),
    unsaved: new Gauge({
      name: "sett_gateway_unsaved_calls",
      help: "Calls that have ended, and whose records Redis has not taken yet.",
      registers,
    }),
  };
}
