// GET /?token=T, a token or a ticket: gives the page its cookie, so that the token stays in no address.

import type { MiddlewareHandler } from "hono";
import type { Env, RequestContext } from "../env.ts";
import type { Access } from "./authenticate.ts";
import { unknownCaller } from "./authenticate.ts";

/** Without a token in the query the request goes on. Throws `not-authenticated`. */
export function signIn({ tokens, cookies }: Access): MiddlewareHandler<Env> {
  return async (context, next) => {
    const token = context.req.query("token");
    if (token === undefined) return await next();
    const known = tokens.find(token) ?? tokens.redeem(token);
    if (known === undefined) throw unknownCaller("The token in the address is not known.");
    return new Response(null, {
      status: 303,
      headers: { location: targetOf(context), "set-cookie": cookies.make(known, context.req.header("host") ?? "") },
    });
  };
}

/** Only a place in the page itself: nothing may send a person to another site. */
function targetOf({ req }: RequestContext): string {
  const to = req.query("to");
  return to !== undefined && /^\/(?:#[\x21-\x7e]*)?$/.test(to) ? to : "/";
}
