// The API counts these for Prometheus.
import { Registry } from "prom-client";
import { newMetrics } from "../../lib/service/metrics.ts";

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A scrape reads the metrics of the API itself and those of the instance at one address. */
export function withInstance(api: ApiMetrics, instance: Registry): Registry {
  return Registry.merge([api.registry, instance]);
}

export function createApiMetrics() {
  const { registry, counter, gauge, histogram } = newMetrics();
  return {
    registry,
    requests: counter(
      "sett_api_requests_total",
      "Requests that were answered, by the status of the answer.",
      "method",
      "status",
    ),
    duration: histogram(
      "sett_api_request_seconds",
      "How long answers took, but for streams.",
      seconds,
      "method",
    ),
    refusals: counter(
      "sett_api_refusals_total",
      "Requests that were refused, by the code of the problem.",
      "code",
    ),
    triggers: counter(
      "sett_api_triggers_total",
      "What triggers did: they have fired, were skipped, or came a second time.",
      "kind",
      "outcome",
    ),
    streams: gauge("sett_api_streams", "Streams of events and logs that are open now."),
  };
}
