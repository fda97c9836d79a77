// Whether a webhook comes from the forge that has the secret. The headers alone say most of it, so
// that the body of a stranger need not be read, and what is read is hashed on the way.
import { Buffer } from "node:buffer";
import { createHash, createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import type { Forge } from "../model/trigger.ts";

/** A header of the request, by its name in lower case. */
export type Header = (name: string) => string | undefined;

/**
 * `refused`: no body can make it count, for this reason. `open`: `part` takes the body in order,
 * and `problem` says afterwards why the signature does not count; undefined where it does. No
 * sentence has a part of the secret.
 */
export type SignatureCheck =
  | { kind: "refused"; reason: string }
  | { kind: "open"; part(bytes: Uint8Array): void; problem(): string | undefined };

/** GitLab's signing tokens begin with it; what follows is base64. */
const signingTokenPrefix = "whsec_";
/** As Standard Webhooks asks for: an old message is not played again. */
const toleranceSeconds = 5 * 60;
const maxSignatures = 10;
const sha256Bytes = 32;

export function checkSignature(
  forge: Forge,
  header: Header,
  secret: string,
  now: Date,
): SignatureCheck {
  if (forge === "github") return checkGithub(header, secret);
  return secret.startsWith(signingTokenPrefix)
    ? checkStandard(header, secret, now)
    : checkToken(header, secret);
}

function checkGithub(header: Header, secret: string): SignatureCheck {
  const signature = header("x-hub-signature-256");
  if (signature === undefined)
    return refused(
      "There is no X-Hub-Signature-256: the webhook needs its secret, as sett.yml names it.",
    );
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (hex === undefined)
    return refused(
      "X-Hub-Signature-256 is no signature: it is `sha256=` and 64 hexadecimal digits.",
    );
  const wrong = "X-Hub-Signature-256 does not fit the body and the secret.";
  return hashing(createHmac("sha256", secret), [Buffer.from(hex, "hex")], wrong);
}

/** The body has no part in it. */
function checkToken(header: Header, secret: string): SignatureCheck {
  const token = header("x-gitlab-token");
  if (token === undefined)
    return refused(
      "There is no X-Gitlab-Token: the webhook needs its secret token, as sett.yml names it.",
    );
  if (!timingSafeEqual(digest(token), digest(secret)))
    return refused("X-Gitlab-Token is not the secret.");
  return { kind: "open", part: () => {}, problem: () => undefined };
}

/** GitLab signs by the Standard Webhooks specification where the webhook has a signing token. */
function checkStandard(header: Header, secret: string, now: Date): SignatureCheck {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    header,
  );
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return refused(
      "There is no webhook-signature: the webhook needs its signing token, as sett.yml names it.",
    );
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds)
    return refused(
      "webhook-timestamp is more than 5 minutes from now: the message is old, or a clock is wrong.",
    );
  const signed = signatures
    .split(" ")
    .slice(0, maxSignatures)
    .flatMap((one) =>
      one.startsWith("v1,") ? [Buffer.from(one.slice("v1,".length), "base64")] : [],
    )
    .filter(({ length }) => length === sha256Bytes);
  if (signed.length === 0)
    return refused("webhook-signature is no signature: it is `v1,` and 32 bytes in base64.");
  const key = Buffer.from(secret.slice(signingTokenPrefix.length), "base64");
  const hmac = createHmac("sha256", key).update(`${id}.${timestamp}.`);
  return hashing(hmac, signed, "webhook-signature does not fit the body and the secret.");
}

/** `digests`: each as long as a SHA-256. */
function hashing(hmac: Hmac, digests: readonly Buffer[], wrong: string): SignatureCheck {
  return {
    kind: "open",
    part: (bytes) => void hmac.update(bytes),
    problem: () => {
      const wanted = hmac.digest();
      return digests.some((one) => timingSafeEqual(one, wanted)) ? undefined : wrong;
    },
  };
}

function refused(reason: string): SignatureCheck {
  return { kind: "refused", reason };
}

/** Digests have one length, so that the comparison takes the same time whatever was sent. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
