// What a person's signature means, as its statement says.
import { isObject, parseJson } from "./json.ts";

/** The words of 21 CFR 11.50. */
export const meanings = ["review", "approval", "responsibility", "authorship"] as const;
export type Meaning = (typeof meanings)[number];

/**
 * `metadata`: of what the person did. Null where it is not signed. Whether the signature is right
 * is for a verifier to say.
 */
export function meaningIn(metadata: Readonly<Record<string, unknown>>): Meaning | null {
  const { statement, signature } = metadata;
  if (typeof statement !== "string" || typeof signature !== "string") return null;
  const stated = parseJson(statement);
  return (isObject(stated) && meanings.find((word) => word === stated.meaning)) || null;
}
