// Checks before every route who asks and how often, and that each write is on record.
import { randomBytes } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { Env, RequestContext } from "../env.ts";
import { requireRight } from "../env.ts";
import type { Parts } from "../parts.ts";
import { kindOf, problemResponse } from "../problem.ts";
import { type Access, authenticate, isRecorded } from "./authenticate.ts";
import { Oidc } from "./oidc.ts";
import { Rates, tooMany } from "./rates.ts";
import { recordCall } from "./record-call.ts";
import { Sessions } from "./sessions.ts";
import { Tokens } from "./tokens.ts";

const sessionKeyBytes = 32;

export function accessOf({ deps }: Pick<Parts, "deps">): Access {
  const { tokens: known, oidc, clock, sessionKey = randomBytes(sessionKeyBytes) } = deps;
  const tokens = new Tokens(known, clock.passedMs);
  const sessions = new Sessions(tokens, { now: clock.now, key: sessionKey });
  return { tokens, sessions, oidc: oidc === undefined ? undefined : new Oidc(oidc) };
}

export function accessGate(parts: Parts, access: Access): MiddlewareHandler<Env> {
  const { clock, limits, metrics } = parts.deps;
  const requests = new Rates(limits.requestsPerMinute, clock);
  const writes = new Rates(limits.writesPerMinute, clock);
  const pass: MiddlewareHandler<Env> = async (context, next) => {
    const { raw } = context.req;
    const caller = await authenticate(raw, access);
    context.set("caller", caller);
    const wait = requests.take(caller.id) ?? (isRecorded(raw) ? writes.take(caller.id) : undefined);
    if (wait !== undefined) {
      metrics.refusals.inc({ code: "too-many-requests" });
      return problemResponse(tooMany(wait), { "retry-after": String(wait) });
    }
    if (isRecorded(raw)) return await recorded(parts, context, next);
    requireRight(caller, "read");
    const startedAt = clock.passedMs();
    await next();
    metrics.duration.observe({ method: raw.method }, (clock.passedMs() - startedAt) / 1_000);
  };
  return async (context, next) => {
    const count = (status: number) =>
      metrics.requests.inc({ method: context.req.method, status: String(status) });
    try {
      const refusal = await pass(context, next);
      count(refusal?.status ?? statusOf(context));
      return refusal;
    } catch (error) {
      count(kindOf(error).status);
      throw error;
    }
  };
}

/** Runs a write, and logs it with its outcome before the client gets its answer. */
async function recorded(
  parts: Parts,
  context: RequestContext,
  next: () => Promise<void>,
): Promise<void> {
  await next();
  const { req, var: known } = context;
  await recordCall(parts, known.caller, {
    method: req.method,
    path: req.path,
    status: statusOf(context),
    goal: known.goal,
  });
}

/** Hono has made an answer of what a route has thrown. */
function statusOf({ error, res }: RequestContext): number {
  return error === undefined ? res.status : kindOf(error).status;
}
