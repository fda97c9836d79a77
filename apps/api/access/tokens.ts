// The named tokens of an instance. The process knows only their digests.
import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { Right, TokenName } from "../../../lib/model/api-access.ts";
import { Actor } from "../../../lib/model/event.ts";
import type { Caller } from "./caller.ts";

const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256 digest in hexadecimal" });

/**
 * `sha256`: of the token, in hexadecimal. `actor`: on record for what it does; without it
 * `person:NAME`. `ticket`: the digest of what signs a browser in once, shortly after the start, in
 * place of the token: other users of a machine see the addresses that programs are started with.
 */
export const KnownToken = z.strictObject({
  name: TokenName,
  sha256: Digest,
  ticket: Digest.optional(),
  may: z.array(Right).min(1),
  actor: Actor.optional(),
});
export type KnownToken = z.infer<typeof KnownToken>;

/** A browser may have to start first. */
const ticketMs = 120_000;

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export class Tokens {
  readonly #known: readonly { token: KnownToken; digest: Buffer }[];
  readonly #tickets: Map<string, KnownToken>;
  readonly #passedMs: () => number;
  readonly #startedAt: number;

  constructor(known: readonly KnownToken[], passedMs: () => number) {
    this.#passedMs = passedMs;
    this.#startedAt = passedMs();
    this.#tickets = new Map(
      known.flatMap((token) => (token.ticket === undefined ? [] : [[token.ticket, token]])),
    );
    this.#known = known.map((token) => ({ token, digest: Buffer.from(token.sha256, "hex") }));
  }

  /**
   * Every known token is compared, in constant time, so that the time of an answer shows nothing
   * about them.
   */
  find(secret: string): KnownToken | undefined {
    const digest = digestOf(secret);
    let found: KnownToken | undefined;
    for (const { token, digest: known } of this.#known)
      if (timingSafeEqual(digest, known)) found = token;
    return found;
  }

  /** The token of a ticket, which is worth nothing from then on. */
  redeem(ticket: string): KnownToken | undefined {
    const digest = digestOf(ticket).toString("hex");
    const found =
      this.#passedMs() - this.#startedAt > ticketMs ? undefined : this.#tickets.get(digest);
    this.#tickets.delete(digest);
    return found;
  }

  named(name: string): KnownToken | undefined {
    return this.#known.find(({ token }) => token.name === name)?.token;
  }
}

export function callerOf({ name, may, actor }: KnownToken): Caller {
  return { id: `token ${name}`, name, rights: new Set(may), actor: actor ?? `person:${name}` };
}
