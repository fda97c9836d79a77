// GET /?token=T, a token or a ticket: gives the page its cookie, so that the token stays in no address.

import type { MiddlewareHandler } from "hono";
import type { Env, RequestContext } from "../env.ts";
import type { Access } from "./authenticate.ts";
import { unknownCaller } from "./authenticate.ts";

/** In the address of the page: the sign-in says why it is shown. */
const refused = "?refused=token";

/**
 * Without a token in the query the request goes on. One that is not known leads a browser to the sign-in of the page, `hasPage` where there is
 * one; a program gets `not-authenticated`.
 */
export function signIn({ tokens, cookies }: Access, { hasPage }: { hasPage: boolean }): MiddlewareHandler<Env> {
  return async (context, next) => {
    const token = context.req.query("token");
    if (token === undefined) return await next();
    const known = tokens.find(token) ?? tokens.redeem(token);
    const target = targetOf(context);
    if (known !== undefined)
      return new Response(null, {
        status: 303,
        headers: { location: target, "set-cookie": cookies.make(known, context.req.header("host") ?? "") },
      });
    if (hasPage && context.req.header("accept")?.includes("text/html"))
      return new Response(null, { status: 303, headers: { location: target.replace("/", `/${refused}`) } });
    throw unknownCaller("The token in the address is not known.");
  };
}

/** Only a place in the page itself: nothing may send a person to another site. */
function targetOf({ req }: RequestContext): string {
  const to = req.query("to");
  return to !== undefined && /^\/(?:#[\x21-\x7e]*)?$/.test(to) ? to : "/";
}
