// Posts one message to a hook, once.
import { messageOf } from "../../../lib/model/errors.ts";
import type { Hook } from "../../../lib/model/notify.ts";
import { type Message, signatureOf } from "./sign.ts";

/** `again`: a later try may succeed. `refused`: it will not. `status`: of an answer. */
export type PostResult =
  | { outcome: "taken" }
  | { outcome: "again" | "refused"; reason: string; status?: number };

/** Never rejects. Redirects are not followed: the message is only for the address in sett.yml. */
export async function post(
  hook: Hook,
  message: Message,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PostResult> {
  const { path } = message;
  const to = path === undefined ? hook.url : String(new URL(path, hook.url));
  try {
    const { secret } = hook;
    const response = await fetch(to, {
      method: "POST",
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        "user-agent": "sett",
        "webhook-id": message.id,
        "webhook-timestamp": String(message.timestampSeconds),
        ...(secret !== undefined && { "webhook-signature": signatureOf(message, secret) }),
      },
      body: message.body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    // Only the status counts; the body is not read.
    await response.body?.cancel();
    return resultOf(response.status);
  } catch (error) {
    // The address may be a secret by itself.
    return {
      outcome: "again",
      reason: messageOf(error).replaceAll(to, new URL(to).origin),
    };
  }
}

/** Request timeout, too early, too many requests. */
const temporary = [408, 425, 429];

function resultOf(status: number): PostResult {
  if (status >= 200 && status < 300) return { outcome: "taken" };
  const reason = `The receiver answered with status ${status}.`;
  const outcome = status >= 500 || temporary.includes(status) ? "again" : "refused";
  return { outcome, reason, status };
}
