// The API as a Hono app: a value with a `fetch` handler, web-standard.
import { OpenAPIHono } from "@hono/zod-openapi";
import { endWithUnreadBody } from "../../lib/service/unread-bodies.ts";
import { accessGate, accessOf } from "./access/gate.ts";
import { idempotency } from "./access/idempotency.ts";
import { signIn } from "./access/sign-in.ts";
import { Bodies } from "./bodies.ts";
import type { Deps } from "./deps.ts";
import { documentOf } from "./document.ts";
import type { Api, Env } from "./env.ts";
import { answerEtags } from "./etags.ts";
import { securityHeaders } from "./headers.ts";
import { requireHostName } from "./host-names.ts";
import { McpSessions } from "./mcp-sessions.ts";
import { requireJson } from "./media-type.ts";
import { type Parts, partsOf } from "./parts.ts";
import { refuse, unknownAddress } from "./refuse.ts";
import { addAgentRoutes } from "./routes/agents.ts";
import { addContentRoutes } from "./routes/artefact-content.ts";
import { addArtefactRoutes } from "./routes/artefacts.ts";
import { addBoardRoutes } from "./routes/board.ts";
import { addClaimRoutes } from "./routes/claims.ts";
import { addCommitRoutes } from "./routes/commits.ts";
import { addControlRoutes } from "./routes/control.ts";
import { addEventRoutes } from "./routes/events.ts";
import { addGoalPartRoutes } from "./routes/goal-parts.ts";
import { addGoalRoutes } from "./routes/goals.ts";
import { addHookRoutes } from "./routes/hooks.ts";
import { addInquiryRoutes } from "./routes/inquiries.ts";
import { addInstanceRoutes } from "./routes/instance.ts";
import { runTriggers } from "./triggers/run-triggers.ts";
import { wholeBody } from "./whole-body.ts";
import { usageOf } from "./wrong-request.ts";

/** `run` follows the log, and states the goals of triggers, until the signal. */
export type ApiProgram = { app: Api; parts: Parts; run(): Promise<void> };

const addResources = [
  ...[
    addInstanceRoutes,
    addControlRoutes,
    addGoalRoutes,
    addGoalPartRoutes,
    addArtefactRoutes,
    addContentRoutes,
  ],
  ...[addClaimRoutes, addInquiryRoutes, addAgentRoutes, addEventRoutes, addBoardRoutes],
];

/** The page is added to the API by these. */
type Hooks = {
  /**
   * The file of the page at this address, if there is one. It sets a Content-Security-Policy of its
   * own.
   */
  page?: (request: Request) => Promise<Response | undefined> | Response | undefined;
};

export function createApi(deps: Deps, signal: AbortSignal, hooks: Hooks = {}): ApiProgram {
  const parts = partsOf(deps, signal);
  const access = accessOf(parts);
  const app: Api = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (!result.success) throw usageOf(result.error, result.target);
    },
  });
  const body = wholeBody(new Bodies(deps.limits.bodies), deps.limits.maxBodyBytes);
  app.use("*", endWithUnreadBody, securityHeaders(deps), requireHostName(deps.hostNames));
  app.get("/healthz", (context) => {
    const reason = deps.board.contactProblem();
    return reason === undefined
      ? context.json({ service: "api", ok: true }, 200)
      : context.json({ service: "api", ok: false, reason }, 503);
  });
  let document: string | undefined;
  const etags = answerEtags(deps.folder);
  app.get("/v1/openapi.json", etags, (context) => {
    document ??= JSON.stringify(documentOf(app, deps.version));
    return context.body(document, 200, { "content-type": "application/json" });
  });
  addCommitRoutes(app, parts, accessGate(parts, access));
  app.use("/v1/*", accessGate(parts, access), body, requireJson, etags, idempotency(parts));
  for (const add of addResources) add(app, parts);
  addHookRoutes(app, parts);
  const assistants = new McpSessions(parts);
  app.all("/mcp", accessGate(parts, access), body, ({ req, var: { caller } }) =>
    assistants.handle(req.raw, caller),
  );
  const { page } = hooks;
  app.post("/open", signIn(access));
  if (page !== undefined) {
    app.get("*", async (context, next) => (await page(context.req.raw)) ?? (await next()));
  }
  app.notFound((context) => refuse(parts, unknownAddress(context.req.path)));
  app.onError((error, { req }) => refuse(parts, error, req.path));
  return {
    app,
    parts,
    run: async () => void (await Promise.all([parts.hub.run(signal), runTriggers(parts)])),
  };
}
