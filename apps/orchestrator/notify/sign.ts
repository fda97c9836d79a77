// Signatures by the Standard Webhooks specification, so that receivers can use an existing library.
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

const base64Prefix = "whsec_";

/** `path`: in the place of that of the webhook's address. */
export type Message = { id: string; timestampSeconds: number; body: string; path?: string };

/** `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. */
export function signatureOf({ id, timestampSeconds, body }: Message, secret: string): string {
  const key = secret.startsWith(base64Prefix)
    ? Buffer.from(secret.slice(base64Prefix.length), "base64")
    : secret;
  return `v1,${createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`).digest("base64")}`;
}
