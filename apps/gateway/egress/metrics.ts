// Counts connections of the egress proxy, for Prometheus.
import { Counter, Gauge, Registry } from "prom-client";

export type EgressMetrics = ReturnType<typeof createEgressMetrics>;

export function createEgressMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    connections: new Counter({
      name: "sett_egress_connections_total",
      help: "Connections and requests of agents to hosts outside, by outcome: allowed, refused, failed.",
      labelNames: ["agent", "outcome"],
      registers,
    }),
    bytes: new Counter({
      name: "sett_egress_bytes_total",
      help: "What has gone through, by direction: sent, received.",
      labelNames: ["agent", "direction"],
      registers,
    }),
    open: new Gauge({
      name: "sett_egress_open_connections",
      help: "Connections under way.",
      labelNames: ["agent"],
      registers,
    }),
  };
}
