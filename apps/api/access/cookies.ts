// The cookie with which the page asks: made from a token, without being one.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { KnownToken, Tokens } from "./tokens.ts";

/** Browsers send cookies to every port of a host: each port has a name of its own. */
const baseName = "sett_session";
const lifetimeMs = 7 * 86_400_000;

/**
 * `NAME.EXPIRES.MAC`: a token's name, Unix milliseconds, and a MAC of both and of the token's digest. It needs no memory of sessions, and ends
 * with its token. The key is the process's own: who reads the digests in the settings of a container can make no cookie.
 */
export class Cookies {
  readonly #tokens: Tokens;
  readonly #now: () => Date;
  readonly #isSecure: boolean;
  readonly #key: Buffer;

  /** `isSecure`: browsers reach the API by TLS alone. */
  constructor(tokens: Tokens, { now, isSecure, key }: { now: () => Date; isSecure: boolean; key: Buffer }) {
    this.#key = key;
    this.#tokens = tokens;
    this.#now = now;
    this.#isSecure = isSecure;
  }

  /** The header `Set-Cookie` for this token. */
  make(token: KnownToken, host: string): string {
    const expires = this.#now().getTime() + lifetimeMs;
    const value = `${token.name}.${expires}.${this.#macOf(token, expires).toString("base64url")}`;
    const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${lifetimeMs / 1_000}${this.#isSecure ? "; Secure" : ""}`;
    return `${nameAt(host)}=${value}; ${flags}`;
  }

  /** `header`: all cookies of a request. A browser may send those of other ports, too. */
  read(header: string): KnownToken | undefined {
    for (const part of header.split(";")) {
      const [name = "", value = ""] = part.trim().split("=");
      if (!name.startsWith(baseName)) continue;
      const known = this.#verify(value);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  #verify(value: string): KnownToken | undefined {
    const [, name = "", digits = "", given = ""] = /^([a-z0-9-]{1,40})\.(\d{1,15})\.([\w-]{43})$/.exec(value) ?? [];
    const token = this.#tokens.named(name);
    const expires = Number(digits);
    if (token === undefined || expires < this.#now().getTime()) return undefined;
    const mac = this.#macOf(token, expires);
    const read = Buffer.from(given, "base64url");
    return read.length === mac.length && timingSafeEqual(read, mac) ? token : undefined;
  }

  #macOf({ name, sha256 }: KnownToken, expires: number): Buffer {
    return createHmac("sha256", this.#key).update(`session ${name} ${sha256} ${expires}`).digest();
  }
}

function nameAt(host: string): string {
  const [, port] = /:(\d+)$/.exec(host) ?? [];
  return port === undefined ? baseName : `${baseName}_${port}`;
}

/** True of what a browser says the page of this very address has sent. */
export function isFromOwnPage({ headers }: Pick<Request, "headers">): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  const host = headers.get("host");
  return origin !== null && host !== null && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
