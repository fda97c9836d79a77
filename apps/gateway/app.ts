// The gateway as a Hono app: a value with a `fetch` handler, web-standard.
import type { Hono } from "hono";
import { Provider } from "../../lib/model/config-models.ts";
import { CostlyApi } from "../../lib/model/model-call.ts";
import { apis } from "../../lib/models/apis.ts";
import { providerAt, providers } from "../../lib/models/providers.ts";
import { createServiceApp } from "../../lib/service/service-app.ts";
import { errorResponse } from "./client-error.ts";
import { countTokens, listModels, pathUnknown } from "./free-paths.ts";
import type { Gateway } from "./gateway.ts";
import { handleCall } from "./handle-call.ts";
import { handleTools } from "./tools/handle-tools.ts";
import type { Tools } from "./tools/tools.ts";

/** `tools`: undefined where no agent has any. */
export function createGatewayApp(
  gateway: Gateway,
  tools?: { tools: Tools; version: string },
): Hono {
  const { deps, calls } = gateway;
  const app = createServiceApp({
    service: "gateway",
    health: () => gateway.health(),
    metrics: deps.metrics.registry,
    state: () => gateway.state,
  });
  for (const api of CostlyApi.options) {
    const { provider, path, countPath } = apis[api];
    for (const root of providers[provider].roots) {
      const base = `/${provider}${root}`;
      app.post(`${base}${path}`, ({ req }) => handleCall(deps, calls, req.raw, api));
      if (countPath !== undefined)
        app.post(`${base}${countPath}`, ({ req }) => countTokens(deps, calls, req.raw, api));
    }
  }
  for (const provider of Provider.options) {
    const path = `/${provider}${providers[provider].roots[0]}/models`;
    app.get(path, ({ req }) => listModels(deps, req.raw, provider, { one: false }));
    app.get(`${path}/:name{.+}`, ({ req }) => listModels(deps, req.raw, provider, { one: true }));
  }
  if (tools !== undefined)
    app.all("/mcp", ({ req }) => handleTools(deps, { ...tools, held: calls.held }, req.raw));
  app.notFound(({ req }) => {
    const provider = providerAt(req.path);
    return errorResponse(provider, pathUnknown(provider, req.path));
  });
  return app;
}
