// Finds out who asks: by a bearer token, a JWT of the identity provider, or a session of the page.
import { isRemoteCall, readsTogether, remoteCalls } from "../../../lib/client/remote/calls.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Caller } from "./caller.ts";
import type { Oidc } from "./oidc.ts";
import type { Sessions } from "./sessions.ts";
import { callerOf, type Tokens } from "./tokens.ts";

export type Access = { tokens: Tokens; sessions: Sessions; oidc?: Oidc | undefined };

/** Longer ones are not looked at. */
const maxTokenLength = 8_192;

/** Throws `not-authenticated`. */
export async function authenticate(
  request: Request,
  { tokens, sessions, oidc }: Access,
): Promise<Caller> {
  const header = request.headers.get("authorization");
  if (header === null) throw unknownCaller("The request has no token.");
  const token = bearerOf(header);
  if (token === undefined) throw unknownCaller("The header `Authorization` has no bearer token.");
  const known = tokens.find(token) ?? sessions.read(token);
  if (known !== undefined) return callerOf(known);
  if (oidc !== undefined && looksLikeJwt(token)) return await oidc.verify(token);
  throw unknownCaller("The token is not known.");
}

/** `header`: of `Authorization`. */
export function bearerOf(header: string): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header.slice(0, maxTokenLength))?.[1];
}

function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

export function isWrite({ method }: Pick<Request, "method">): boolean {
  return method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}

/**
 * Writes that the gate puts on record as calls of the API. A call of the blackboard that only reads
 * is a POST because of its arguments, and so is everything of an assistant: its tools that write
 * are on record one by one.
 */
export function isRecorded(request: Pick<Request, "method" | "url">): boolean {
  const { pathname } = new URL(request.url);
  const [, call = ""] = /^\/v1\/board\/(\w+)$/.exec(pathname) ?? [];
  const isReading =
    call === readsTogether || (isRemoteCall(call) && remoteCalls[call].right === "read");
  return isWrite(request) && pathname !== "/mcp" && !isReading;
}

export function unknownCaller(why: string): SettError {
  return new SettError("not-authenticated", why, {
    hint: "Send `Authorization: Bearer TOKEN`. `services.api.tokens` in sett.yml names the tokens, and `sett ui` prints its own.",
  });
}
