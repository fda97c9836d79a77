// The API counts these for Prometheus.
import { Counter, Gauge, Histogram, Registry } from "prom-client";

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A scrape reads the metrics of the API itself and those of the instance at one address. */
export function withInstance(api: ApiMetrics, instance: Registry): Registry {
  return Registry.merge([api.registry, instance]);
}

export function createApiMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: "sett_api_requests_total",
      help: "Requests that were answered, by the status of the answer.",
      labelNames: ["method", "status"],
      registers,
    }),
    duration: new Histogram({
      name: "sett_api_request_seconds",
      help: "How long answers took, but for streams.",
      labelNames: ["method"],
      buckets: seconds,
      registers,
    }),
    refusals: new Counter({
      name: "sett_api_refusals_total",
      help: "Requests that were refused, by the code of the problem.",
      labelNames: ["code"],
      registers,
    }),
    triggers: new Counter({
      name: "sett_api_triggers_total",
      help: "What triggers did: they have fired, were skipped, or came a second time.",
      labelNames: ["kind", "outcome"],
      registers,
    }),
    streams: new Gauge({
      name: "sett_api_streams",
      help: "Streams of events and logs that are open now.",
      registers,
    }),
  };
}
