// The gateway as a Hono app: a value with a `fetch` handler, web-standard.
import type { Hono } from "hono";
import type { Provider } from "../../lib/model/config-models.ts";
import { createServiceApp } from "../../lib/service/service-app.ts";
import { errorResponse } from "./client-error.ts";
import { countTokens, listModels, pathUnknown } from "./free-paths.ts";
import type { Gateway } from "./gateway.ts";
import { handleCall } from "./handle-call.ts";

export function createGatewayApp(gateway: Gateway): Hono {
  const { deps, calls } = gateway;
  const app = createServiceApp({
    service: "gateway",
    health: () => gateway.health(),
    metrics: deps.metrics.registry,
    state: () => gateway.state,
  });
  // Some clients, such as those of the `ai` SDK, take the version as a part of
  // `ANTHROPIC_BASE_URL`, and add `/messages` alone.
  for (const base of ["/anthropic/v1", "/anthropic"]) {
    app.post(`${base}/messages`, ({ req }) =>
      handleCall(deps, calls, req.raw, { format: "anthropic", api: "messages" }),
    );
    app.post(`${base}/messages/count_tokens`, ({ req }) => countTokens(deps, calls, req.raw));
  }
  app.post("/openai/v1/chat/completions", ({ req }) =>
    handleCall(deps, calls, req.raw, { format: "openai", api: "chat" }),
  );
  app.post("/openai/v1/responses", ({ req }) =>
    handleCall(deps, calls, req.raw, { format: "openai", api: "responses" }),
  );
  for (const format of ["anthropic", "openai"] as const) {
    app.get(`/${format}/v1/models`, ({ req }) => listModels(deps, req.raw, format, { one: false }));
    app.get(`/${format}/v1/models/:name{.+}`, ({ req }) =>
      listModels(deps, req.raw, format, { one: true }),
    );
  }
  app.notFound(({ req }) => {
    const format: Provider = req.path.startsWith("/anthropic/") ? "anthropic" : "openai";
    return errorResponse(format, pathUnknown(format, req.path));
  });
  return app;
}
