// The orchestrator as a Hono app: a value with a `fetch` handler, web-standard.
import type { Hono } from "hono";
import { createServiceApp } from "../../lib/service/service-app.ts";
import type { Deps } from "./leader/deps.ts";
import type { Orchestrator } from "./orchestrator.ts";

export function createOrchestratorApp(
  orchestrator: Orchestrator,
  deps: Pick<Deps, "metrics">,
): Hono {
  return createServiceApp({
    service: "orchestrator",
    health: () => orchestrator.health(),
    metrics: deps.metrics.registry,
    state: () => orchestrator.state,
  });
}
