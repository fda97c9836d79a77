// The sessions of the page: what a browser keeps in place of a token.
//
// The page keeps its session in the storage of its own address, and sends it itself. A cookie would
// be sent by the browser, to every port of the host: on 127.0.0.1 also to a server of another user
// of the machine. Nor can a page of another site make a browser send a session.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { KnownToken, Tokens } from "./tokens.ts";

const lifetimeMs = 7 * 86_400_000;

/**
 * `NAME.EXPIRES.MAC`: a token's name, Unix milliseconds, and a MAC of both and of the token's
 * digest. It needs no memory of sessions, and ends with its token. The key is the process's own:
 * who reads the digests in the settings of a container can make no session.
 */
export class Sessions {
  readonly #tokens: Tokens;
  readonly #now: () => Date;
  readonly #key: Buffer;

  constructor(tokens: Tokens, { now, key }: { now: () => Date; key: Buffer }) {
    this.#key = key;
    this.#tokens = tokens;
    this.#now = now;
  }

  make(token: KnownToken): string {
    const expires = this.#now().getTime() + lifetimeMs;
    return `${token.name}.${expires}.${this.#macOf(token, expires).toString("base64url")}`;
  }

  /** The token that it was made from. */
  read(session: string): KnownToken | undefined {
    const [, name = "", digits = "", given = ""] =
      /^([a-z0-9-]{1,40})\.(\d{1,15})\.([\w-]{43})$/.exec(session) ?? [];
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
