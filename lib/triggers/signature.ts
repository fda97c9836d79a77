// Whether a webhook comes from the forge that has the secret. The headers alone say most of it, so
// that the body of a stranger need not be read, and what is read is hashed on the way.
import type { Buffer } from "node:buffer";
import { createHash, type Hmac, timingSafeEqual } from "node:crypto";

/**
 * `refused`: no body can make it count, for this reason. `open`: `part` takes the body in order,
 * and `problem` says afterwards why the signature does not count; undefined where it does. No
 * sentence has a part of the secret.
 */
export type SignatureCheck =
  | { kind: "refused"; reason: string }
  | { kind: "open"; part(bytes: Uint8Array): void; problem(): string | undefined };

/** `digests`: each as long as a SHA-256. `wrong`: the sentence where none of them fits. */
export function hashing(hmac: Hmac, digests: readonly Buffer[], wrong: string): SignatureCheck {
  return {
    kind: "open",
    part: (bytes) => void hmac.update(bytes),
    problem: () => {
      const wanted = hmac.digest();
      return digests.some((one) => timingSafeEqual(one, wanted)) ? undefined : wrong;
    },
  };
}

export function refused(reason: string): SignatureCheck {
  return { kind: "refused", reason };
}

/** Takes the same time whatever was sent: digests have one length. */
export function isSameSecret(one: string, other: string): boolean {
  const [ours, theirs] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return ours !== undefined && theirs !== undefined && timingSafeEqual(ours, theirs);
}
