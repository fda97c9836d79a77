// Posts one message to a hook, once.
import { messageOf } from "../../../lib/model/errors.ts";
import type { Hook } from "../../../lib/model/notify.ts";
import { type Message, signatureOf } from "./sign.ts";

/** `again`: it may get through later. `refused`: it will not. */
export type Posted = { outcome: "taken" } | { outcome: "again" | "refused"; reason: string };

/** Never rejects. Redirects are not followed: what is sent is for whom sett.yml names. */
export async function post(hook: Hook, message: Message, timeoutMs: number, signal: AbortSignal): Promise<Posted> {
  try {
    const response = await fetch(hook.url, {
      method: "POST",
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        "user-agent": "sett",
        "webhook-id": message.id,
        "webhook-timestamp": String(message.timestampSeconds),
        "webhook-signature": signatureOf(message, hook.secret),
      },
      body: message.body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    // What it says beside its status is not waited for.
    await response.body?.cancel();
    return judge(response.status);
  } catch (error) {
    // The address may be a secret by itself.
    return { outcome: "again", reason: messageOf(error).replaceAll(hook.url, new URL(hook.url).origin) };
  }
}

/** Too early, too often, or not well just now. */
const passing = [408, 425, 429];

function judge(status: number): Posted {
  if (status >= 200 && status < 300) return { outcome: "taken" };
  const reason = `It answers ${status}.`;
  return { outcome: status >= 500 || passing.includes(status) ? "again" : "refused", reason };
}
