// The API as a Hono app: a value with a `fetch` handler, web-standard.
import { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { SettError } from "../../lib/model/errors.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import { accessGate, accessOf } from "./access/gate.ts";
import type { Deps } from "./deps.ts";
import { documentOf } from "./document.ts";
import type { Api, Env } from "./env.ts";
import { answerEtags } from "./etags.ts";
import { securityHeaders } from "./headers.ts";
import { type Parts, partsOf } from "./parts.ts";
import { problemOf, problemResponse } from "./problem.ts";
import { addBoardRoutes } from "./routes/board.ts";
import { addEventRoutes } from "./routes/events.ts";
import { addGoalRoutes } from "./routes/goals.ts";
import { addInstanceRoutes } from "./routes/instance.ts";
import { addMcpRoute } from "./routes/mcp.ts";
import { usageOf } from "./wrong-request.ts";

/** `run` follows the log until the signal. */
export type ApiProgram = { app: Api; parts: Parts; run(): Promise<void> };

export function createApi(deps: Deps, signal: AbortSignal): ApiProgram {
  const parts = partsOf(deps, signal);
  const app: Api = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (!result.success) throw usageOf(result.error, result.target);
    },
  });
  app.use("*", securityHeaders(deps));
  app.get("/healthz", async (context) => {
    const problem = deps.board.contactProblem();
    return context.json(
      { service: "api", ...(problem === undefined ? { ok: true } : { ok: false, reason: problem }) },
      problem === undefined ? 200 : 503,
    );
  });
  app.get("/v1/openapi.json", (context) => context.json(documentOf(app, deps.version)));
  const access = accessOf(parts);
  addMcpRoute(app, parts, access);
  app.use("/v1/*", accessGate(parts, access), answerEtags);
  addInstanceRoutes(app, parts);
  addGoalRoutes(app, parts);
  addEventRoutes(app, parts);
  addBoardRoutes(app, parts);
  app.notFound(() => refuse(parts, notFound()));
  app.onError((error) => refuse(parts, error));
  return { app, parts, run: () => parts.hub.run(signal) };
}

/** The answer to what was thrown. What is not expected goes into the log, without the request, which may have secrets. */
export function refuse({ deps: { log, metrics } }: Pick<Parts, "deps">, error: unknown): Response {
  const known = error instanceof HTTPException ? fromHono(error) : error;
  const { code, status } = problemOf(known);
  metrics.refusals.inc({ code });
  if (status === 500)
    log.error("A request has failed", { error: String(known instanceof Error ? (known.stack ?? known) : known) });
  else if (isAway(known)) log.warn("Redis is away", { error: String(known) });
  return problemResponse(known);
}

function notFound(): SettError {
  return new SettError("not-found", "The API has no such address.", { hint: "`/v1/openapi.json` lists all of them." });
}

/** Hono refuses what is no JSON by itself. */
function fromHono({ status, message }: HTTPException): SettError {
  if (status === 413) return new SettError("too-large", message);
  return new SettError("usage", message === "" ? "The request cannot be read." : `${message}.`, {
    hint: "Send a JSON object with `Content-Type: application/json`.",
  });
}
