// A right says what the bearer of a token may do with the API of an instance.
import { z } from "zod";

/**
 * `read` every GET; `forage` state goals; `post` artefacts in goals; `answer` questions; `budget`:
 * raise what may be spent; `approve` and reject; `control`: cancel, retry, pause, resume.
 */
export const Right = z.enum(["read", "forage", "post", "answer", "budget", "approve", "control"]);
export type Right = z.infer<typeof Right>;

export const allRights: readonly Right[] = Right.options;

/** Part of an actor, of events and of a session of the page. */
export const TokenName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, {
  error: "must be lower-case letters, digits and inner hyphens, at most 40",
});

/** The process knows this of a token: never its value. `sha256`: in hexadecimal. */
export type TokenDigest = { name: string; sha256: string; may: Right[] };
