// Counts connections of the egress proxy, for Prometheus.
import { newMetrics } from "../../../lib/service/metrics.ts";

export type EgressMetrics = ReturnType<typeof createEgressMetrics>;

export function createEgressMetrics() {
  const { registry, counter, gauge } = newMetrics();
  return {
    registry,
    connections: counter(
      "sett_egress_connections_total",
      "Connections and requests of agents to hosts outside, by outcome: allowed, refused, failed.",
      "agent",
      "outcome",
    ),
    bytes: counter(
      "sett_egress_bytes_total",
      "What has gone through, by direction: sent, received.",
      "agent",
      "direction",
    ),
    open: gauge("sett_egress_open_connections", "Connections under way.", "agent"),
  };
}
