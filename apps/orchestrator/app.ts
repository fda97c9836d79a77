// The orchestrator as a Hono app: a value with a `fetch` handler, web-standard.
import type { Hono } from "hono";
import { createServiceApp } from "../../lib/service/service-app.ts";
import type { Orchestrator } from "./orchestrator.ts";
import type { Parts } from "./parts.ts";

export function createOrchestratorApp(orchestrator: Orchestrator, parts: Pick<Parts, "metrics">): Hono {
  return createServiceApp({
    service: "orchestrator",
    health: () => orchestrator.health(),
    metrics: parts.metrics.registry,
    state: () => orchestrator.state,
  });
}
