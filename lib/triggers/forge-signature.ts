// Whether a webhook comes from the forge that has the secret.
import { Buffer } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { verify } from "@octokit/webhooks-methods";
import type { Forge } from "../model/trigger.ts";

/** A header of the request, by its name in lower case. */
export type Header = (name: string) => string | undefined;

/** GitLab's signing tokens begin with it; what follows is base64. */
const signingTokenPrefix = "whsec_";
/** As Standard Webhooks asks for: an old message is not played again. */
const toleranceSeconds = 5 * 60;

/** Why the signature does not count; undefined where it does. No sentence has a part of the secret. */
export async function signatureProblem(
  forge: Forge,
  request: { header: Header; body: string },
  secret: string,
  now: Date,
): Promise<string | undefined> {
  if (forge === "github") return await githubProblem(request, secret);
  return secret.startsWith(signingTokenPrefix) ? standardProblem(request, secret, now) : tokenProblem(request.header, secret);
}

async function githubProblem({ header, body }: { header: Header; body: string }, secret: string): Promise<string | undefined> {
  const signature = header("x-hub-signature-256");
  if (signature === undefined) return "There is no X-Hub-Signature-256: the webhook needs its secret, as sett.yml names it.";
  // The library takes no body that is empty.
  const isValid =
    body === "" ? isSame(Buffer.from(signature), Buffer.from(signatureOfNothing(secret))) : await verify(secret, body, signature);
  return isValid ? undefined : "X-Hub-Signature-256 does not fit the body and the secret.";
}

function signatureOfNothing(secret: string): string {
  return `sha256=${createHmac("sha256", secret).digest("hex")}`;
}

function tokenProblem(header: Header, secret: string): string | undefined {
  const token = header("x-gitlab-token");
  if (token === undefined) return "There is no X-Gitlab-Token: the webhook needs its secret token, as sett.yml names it.";
  return isSame(digest(token), digest(secret)) ? undefined : "X-Gitlab-Token is not the secret.";
}

/** GitLab signs by the Standard Webhooks specification where the webhook has a signing token. */
function standardProblem({ header, body }: { header: Header; body: string }, secret: string, now: Date): string | undefined {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(header);
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return "There is no webhook-signature: the webhook needs its signing token, as sett.yml names it.";
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds)
    return "webhook-timestamp is more than 5 minutes from now: the message is old, or a clock is wrong.";
  const key = Buffer.from(secret.slice(signingTokenPrefix.length), "base64");
  const wanted = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  const isValid = signatures
    .split(" ")
    .slice(0, 10)
    .some((one) => one.startsWith("v1,") && isSame(Buffer.from(one.slice("v1,".length), "base64"), wanted));
  return isValid ? undefined : "webhook-signature does not fit the body and the secret.";
}

/** Digests have one length, so that the comparison takes the same time whatever was sent. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
