// What the orchestrator counts, for Prometheus.
import { Counter, Gauge, Registry } from "prom-client";

export type OrchestratorMetrics = ReturnType<typeof createOrchestratorMetrics>;

export function createOrchestratorMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    events: new Counter({ name: "sett_orchestrator_events_total", help: "Events of the log that were handled.", registers }),
    claims: new Counter({
      name: "sett_orchestrator_claims_total",
      help: "Claims by what became of them.",
      labelNames: ["outcome"],
      registers,
    }),
    grants: new Counter({ name: "sett_orchestrator_grants_total", help: "Grants given.", labelNames: ["phase"], registers }),
    conflicts: new Counter({
      name: "sett_orchestrator_conflicts_total",
      help: "Commits decided again because the claim had moved.",
      registers,
    }),
    notices: new Counter({
      name: "sett_orchestrator_notices_total",
      help: "Attempts to tell a hook something, by what became of them.",
      labelNames: ["kind", "outcome"],
      registers,
    }),
    epoch: new Gauge({
      name: "sett_orchestrator_epoch",
      help: "Epoch of the held leader lease; 0 while standing by.",
      registers,
    }),
    inFlight: new Gauge({
      name: "sett_orchestrator_events_in_flight",
      help: "Events whose commits are not confirmed yet.",
      registers,
    }),
  };
}
