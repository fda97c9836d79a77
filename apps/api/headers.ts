// The headers of every answer: what a browser may do with it, and which other origins may read it.
import type { MiddlewareHandler } from "hono";
import type { Deps } from "./deps.ts";
import type { Env } from "./env.ts";

const fixed = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
} as const;

/** Answers that are no page have these. */
const nothingLoads = "default-src 'none'; frame-ancestors 'none'; sandbox";
const allowedHeaders = "authorization, content-type, idempotency-key, if-none-match, last-event-id";
const exposedHeaders = "etag, idempotency-replayed, retry-after";

export function securityHeaders({
  isSecure,
  origins,
}: Pick<Deps, "isSecure" | "origins">): MiddlewareHandler<Env> {
  return async (context, next) => {
    const origin = context.req.header("origin");
    const isOther = origin !== undefined && origins.includes(origin);
    if (isOther && context.req.method === "OPTIONS") {
      context.res = new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": "GET, POST",
          "access-control-allow-headers": allowedHeaders,
        },
      });
    } else await next();
    const { headers } = context.res;
    for (const [name, value] of Object.entries(fixed)) headers.set(name, value);
    if (!headers.has("content-security-policy"))
      headers.set("content-security-policy", nothingLoads);
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    if (isSecure) headers.set("strict-transport-security", "max-age=31536000");
    if (!isOther) return;
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-expose-headers", exposedHeaders);
    headers.set("cross-origin-resource-policy", "cross-origin");
    headers.append("vary", "origin");
  };
}
