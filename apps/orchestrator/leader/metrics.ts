// The orchestrator counts these, for Prometheus.
import { Counter, Gauge, Registry } from "prom-client";

export type OrchestratorMetrics = ReturnType<typeof createOrchestratorMetrics>;

export function createOrchestratorMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    events: new Counter({
      name: "sett_orchestrator_events_total",
      help: "Events of the log that were handled.",
      registers,
    }),
    claims: new Counter({
      name: "sett_orchestrator_claims_total",
      help: "Claims, by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    grants: new Counter({
      name: "sett_orchestrator_grants_total",
      help: "Grants, by phase.",
      labelNames: ["phase"],
      registers,
    }),
    conflicts: new Counter({
      name: "sett_orchestrator_conflicts_total",
      help: "Commits that were decided again because the claim had changed.",
      registers,
    }),
    notices: new Counter({
      name: "sett_orchestrator_notices_total",
      help: "Tries to deliver a notice to a webhook, by outcome.",
      labelNames: ["kind", "outcome"],
      registers,
    }),
    epoch: new Gauge({
      name: "sett_orchestrator_epoch",
      help: "Epoch of the leader lease while this process holds it; else 0.",
      registers,
    }),
    inFlight: new Gauge({
      name: "sett_orchestrator_events_in_flight",
      help: "Events whose commits are not confirmed yet.",
      registers,
    }),
  };
}
