// In front of every route: who asks, how often, and that each write is on record.
import { randomBytes } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { oneLine, shorten } from "../../../lib/client/text/plain-text.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { Env, RequestContext } from "../env.ts";
import { requireRight } from "../env.ts";
import type { Parts } from "../parts.ts";
import { kindOf, problemResponse } from "../problem.ts";
import { type Access, authenticate, isRecorded } from "./authenticate.ts";
import { Cookies } from "./cookies.ts";
import { Oidc } from "./oidc.ts";
import { Rates, tooMany } from "./rates.ts";
import { Tokens } from "./tokens.ts";

const maxPathLength = 200;
const cookieKeyBytes = 32;

export function accessOf({ deps }: Pick<Parts, "deps">): Access {
  const { tokens: known, oidc, clock, isSecure, cookieKey = randomBytes(cookieKeyBytes) } = deps;
  const tokens = new Tokens(known, clock.passedMs);
  const cookies = new Cookies(tokens, { now: clock.now, isSecure, key: cookieKey });
  return { tokens, cookies, oidc: oidc === undefined ? undefined : new Oidc(oidc) };
}

export function accessGate(parts: Parts, access: Access): MiddlewareHandler<Env> {
  const { clock, limits, metrics } = parts.deps;
  const requests = new Rates(limits.requestsPerMinute, clock);
  const writes = new Rates(limits.writesPerMinute, clock);
  return async (context, next) => {
    const startedAt = clock.passedMs();
    const { raw } = context.req;
    const caller = await authenticate(raw, access);
    context.set("caller", caller);
    const wait = requests.take(caller.name) ?? (isRecorded(raw) ? writes.take(caller.name) : undefined);
    if (wait !== undefined) {
      metrics.refusals.inc({ code: "too-many-requests" });
      return problemResponse(tooMany(wait), { "retry-after": String(wait) });
    }
    if (isRecorded(raw)) return await recorded(parts, context, next);
    requireRight(caller, "read");
    await next();
    metrics.requests.inc({ method: raw.method, status: String(context.res.status) });
    metrics.duration.observe({ method: raw.method }, (clock.passedMs() - startedAt) / 1_000);
  };
}

/** Runs a write, and logs it with its outcome before the client gets its answer. */
async function recorded(parts: Parts, context: RequestContext, next: () => Promise<void>): Promise<void> {
  const { metrics } = parts.deps;
  await next();
  // Hono has made an answer of what a route has thrown.
  const status = context.error === undefined ? context.res.status : kindOf(context.error).status;
  metrics.requests.inc({ method: context.req.method, status: String(status) });
  await logCall(parts, context, status);
}

async function logCall({ deps: { board, log } }: Parts, { req, var: known }: RequestContext, status: number): Promise<void> {
  const { caller, goal } = known;
  const data = { method: req.method, path: shorten(oneLine(req.path), maxPathLength), status, token: caller.name };
  try {
    await board.logEvent({ type: "api_called", ...(goal && { goal_id: goal }), data }, caller.actor);
  } catch (error) {
    log.warn("A write is not on record", { error: messageOf(error), ...data });
  }
}
