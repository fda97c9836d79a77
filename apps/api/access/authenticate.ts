// Finds out who asks: by a bearer token, a JWT of the identity provider, or the cookie of the page.
import { isRemoteCall, readsTogether } from "../../../lib/client/remote/calls.ts";
import { rightOf } from "../../../lib/client/remote/serve-call.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Caller } from "./caller.ts";
import { type Cookies, isFromOwnPage } from "./cookies.ts";
import type { Oidc } from "./oidc.ts";
import { callerOf, type Tokens } from "./tokens.ts";

export type Access = { tokens: Tokens; cookies: Cookies; oidc?: Oidc | undefined };

/** Longer ones are not looked at. */
const maxTokenLength = 8_192;

/** Throws `not-authenticated`, and `not-allowed` for a write that another page has sent with the cookie. */
export async function authenticate(request: Request, { tokens, cookies, oidc }: Access): Promise<Caller> {
  const header = request.headers.get("authorization");
  if (header !== null) return await byBearer(header, { tokens, oidc });
  const known = cookies.read(request.headers.get("cookie") ?? "");
  if (known === undefined) throw unknownCaller("The request has no token.");
  if (isWrite(request) && !isFromOwnPage(request))
    throw new SettError("not-allowed", "A write with the cookie must come from the page of this instance.", {
      hint: "A program sends its token: `Authorization: Bearer TOKEN`.",
    });
  return callerOf(known);
}

async function byBearer(header: string, { tokens, oidc }: Pick<Access, "tokens" | "oidc">): Promise<Caller> {
  const [, token] = /^Bearer +([\x21-\x7e]+) *$/i.exec(header.slice(0, maxTokenLength)) ?? [];
  if (token === undefined) throw unknownCaller("The header `Authorization` has no bearer token.");
  const known = tokens.find(token);
  if (known !== undefined) return callerOf(known);
  if (oidc !== undefined && looksLikeJwt(token)) return await oidc.verify(token);
  throw unknownCaller("The token is not known.");
}

function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

export function isWrite({ method }: Pick<Request, "method">): boolean {
  return method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}

/**
 * Writes that the gate puts on record as calls of the API. A call of the blackboard that only reads is a POST because of its arguments,
 * and so is everything of an assistant: its tools that write are on record one by one.
 */
export function isRecorded(request: Pick<Request, "method" | "url">): boolean {
  const { pathname } = new URL(request.url);
  const [, call = ""] = /^\/v1\/board\/(\w+)$/.exec(pathname) ?? [];
  const isReading = call === readsTogether || (isRemoteCall(call) && rightOf(call) === "read");
  return isWrite(request) && pathname !== "/mcp" && !isReading;
}

export function unknownCaller(why: string): SettError {
  return new SettError("not-authenticated", why, {
    hint: "Send `Authorization: Bearer TOKEN`. `services.api.tokens` in sett.yml names the tokens, and `sett ui` prints its own.",
  });
}
