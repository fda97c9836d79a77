// The three endpoints that every service has (docs/reference/services.md#endpoints), as a Hono app:
// a value with a `fetch` handler.
import { Hono } from "hono";
import type { Registry } from "prom-client";
import { endWithUnreadBody } from "./unread-bodies.ts";

/** `reason`: what is wrong, in a sentence. */
export type Health = { ok: true } | { ok: false; reason: string };

export type ServiceOptions = {
  service: string;
  health: () => Health | Promise<Health>;
  metrics: Registry;
  /** Any JSON: the service's state, for people who debug. */
  state: () => unknown;
};

/**
 * `GET /healthz` (200, or 503 with the reason), `/metrics` (Prometheus text), `/internal/state`
 * (JSON). It ends the connection behind an answer that has not waited for the whole body.
 */
export function createServiceApp({ service, health, metrics, state }: ServiceOptions): Hono {
  const app = new Hono();
  app.use("*", endWithUnreadBody);
  app.get("/healthz", async (context) => {
    const report = await health();
    return context.json({ service, ...report }, report.ok ? 200 : 503);
  });
  app.get("/metrics", async (context) =>
    context.text(await metrics.metrics(), 200, { "content-type": metrics.contentType }),
  );
  app.get("/internal/state", async (context) => context.json(await state()));
  return app;
}
