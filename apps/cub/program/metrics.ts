// The cub's metrics, for Prometheus.
import { Counter, Histogram, Registry } from "prom-client";

export type CubMetrics = ReturnType<typeof createCubMetrics>;

export function createCubMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    bids: new Counter({
      name: "sett_cub_bids_total",
      help: "Bids placed, by word.",
      labelNames: ["word"],
      registers,
    }),
    executions: new Counter({
      name: "sett_cub_executions_total",
      help: "Runs of the agent's command.",
      registers,
    }),
    successes: new Counter({
      name: "sett_cub_successes_total",
      help: "Grants that ended with a result.",
      registers,
    }),
    failures: new Counter({
      name: "sett_cub_failures_total",
      help: "Grants that ended with a Failure.",
      registers,
    }),
    timeouts: new Counter({
      name: "sett_cub_timeouts_total",
      help: "Runs ended by their time limit.",
      registers,
    }),
    executionSeconds: new Histogram({
      name: "sett_cub_execution_seconds",
      help: "How long the agent's command ran.",
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
      registers,
    }),
    artefacts: new Counter({
      name: "sett_cub_artefacts_total",
      help: "Artefacts posted, by type.",
      labelNames: ["type"],
      registers,
    }),
  };
}
