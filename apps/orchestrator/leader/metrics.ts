// The orchestrator counts these, for Prometheus.
import { newMetrics } from "../../../lib/service/metrics.ts";

export type OrchestratorMetrics = ReturnType<typeof createOrchestratorMetrics>;

export function createOrchestratorMetrics() {
  const { registry, counter, gauge } = newMetrics();
  return {
    registry,
    events: counter("sett_orchestrator_events_total", "Events of the log that were handled."),
    claims: counter("sett_orchestrator_claims_total", "Claims, by outcome.", "outcome"),
    grants: counter("sett_orchestrator_grants_total", "Grants, by phase.", "phase"),
    conflicts: counter(
      "sett_orchestrator_conflicts_total",
      "Commits that were decided again because the claim had changed.",
    ),
    notices: counter(
      "sett_orchestrator_notices_total",
      "Tries to deliver a notice to a webhook, by outcome.",
      "kind",
      "outcome",
    ),
    epoch: gauge(
      "sett_orchestrator_epoch",
      "Epoch of the leader lease while this process holds it; else 0.",
    ),
    inFlight: gauge(
      "sett_orchestrator_events_in_flight",
      "Events whose commits are not confirmed yet.",
    ),
  };
}
