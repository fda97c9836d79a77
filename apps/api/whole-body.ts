// Reads the body of a request before a route begins: it is there, whole and bounded.
import type { MiddlewareHandler } from "hono";
import type { Bodies } from "./bodies.ts";
import type { Env } from "./env.ts";

export function wholeBody(bodies: Bodies, maxBytes: number): MiddlewareHandler<Env> {
  return async ({ req }, next) => {
    const { raw } = req;
    if (raw.body === null) return await next();
    using body = await bodies.read(raw, maxBytes);
    const { url, method, headers, signal } = raw;
    req.raw = new Request(url, {
      method,
      headers,
      signal,
      ...(body.bytes.length > 0 && { body: body.bytes }),
    });
    await next();
  };
}
