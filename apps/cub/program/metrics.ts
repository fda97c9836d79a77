// The cub's metrics, for Prometheus.
import { newMetrics } from "../../../lib/service/metrics.ts";

export type CubMetrics = ReturnType<typeof createCubMetrics>;

export function createCubMetrics() {
  const { registry, counter, histogram } = newMetrics();
  return {
    registry,
    bids: counter("sett_cub_bids_total", "Bids placed, by word.", "word"),
    executions: counter("sett_cub_executions_total", "Runs of the agent's command."),
    successes: counter("sett_cub_successes_total", "Grants that ended with a result."),
    failures: counter("sett_cub_failures_total", "Grants that ended with a Failure."),
    timeouts: counter("sett_cub_timeouts_total", "Runs ended by their time limit."),
    executionSeconds: histogram(
      "sett_cub_execution_seconds",
      "How long the agent's command ran.",
      [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
    ),
    artefacts: counter("sett_cub_artefacts_total", "Artefacts posted, by type.", "type"),
  };
}
