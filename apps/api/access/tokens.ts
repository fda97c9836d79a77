// The named tokens of an instance. The process knows only their digests.
import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { Actor } from "../../../lib/model/event.ts";
import type { Caller } from "./caller.ts";
import { Right } from "./rights.ts";

/** Part of an actor, of events and of a cookie. */
export const TokenName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, { error: "must be lower-case letters, digits and inner hyphens" });

/** `sha256`: of the token, in hexadecimal. `actor`: on record for what it does; without it `person:NAME`. */
export const KnownToken = z.strictObject({
  name: TokenName,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256 digest in hexadecimal" }),
  may: z.array(Right).min(1),
  actor: Actor.optional(),
});
export type KnownToken = z.infer<typeof KnownToken>;

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export class Tokens {
  readonly #known: readonly { token: KnownToken; digest: Buffer }[];

  constructor(known: readonly KnownToken[]) {
    this.#known = known.map((token) => ({ token, digest: Buffer.from(token.sha256, "hex") }));
  }

  /** Every known token is compared, in constant time, so that the time of an answer shows nothing about them. */
  find(secret: string): KnownToken | undefined {
    const digest = digestOf(secret);
    let found: KnownToken | undefined;
    for (const { token, digest: known } of this.#known) if (timingSafeEqual(digest, known)) found = token;
    return found;
  }

  named(name: string): KnownToken | undefined {
    return this.#known.find(({ token }) => token.name === name)?.token;
  }
}

export function callerOf({ name, may, actor }: KnownToken, by: Caller["by"]): Caller {
  return { name, rights: new Set(may), actor: actor ?? `person:${name}`, by };
}
