// The cub's HTTP side as a value with a `fetch` handler: no port, no process, so that any
// web-standard runtime can serve it.
import type { Hono } from "hono";
import { createServiceApp, type ServiceOptions } from "../../lib/service/service-app.ts";

export function createCubApp(deps: Omit<ServiceOptions, "service">): Hono {
  return createServiceApp({ service: "cub", ...deps });
}
