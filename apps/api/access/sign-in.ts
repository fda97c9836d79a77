// POST /open: gives the page a session for the token, or the ticket, of the address that it was
// opened with.
import type { Handler } from "hono";
import type { Env } from "../env.ts";
import { type Access, bearerOf, unknownCaller } from "./authenticate.ts";

/**
 * `Authorization: Bearer TOKEN`; a ticket is worth nothing afterwards. Throws `not-authenticated`.
 */
export function signIn({ tokens, sessions }: Access): Handler<Env> {
  return ({ req, json }) => {
    const token = bearerOf(req.header("authorization") ?? "");
    const known = token === undefined ? undefined : (tokens.find(token) ?? tokens.redeem(token));
    if (known === undefined) throw unknownCaller("The token is not known.");
    return json({ session: sessions.make(known) });
  };
}
