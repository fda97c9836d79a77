// The container's HEALTHCHECK in images without curl: the program requests the health of the service beside it.
import { SettError } from "../model/errors.ts";

/** True when `GET /healthz` on this machine answers 200 within two seconds. */
export async function isHealthy(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok;
  } catch {
    return false;
  }
}

/** The metrics of the service on this machine. Throws `not-ready` where it does not answer. */
export async function readMetrics(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return (await answer.text()).trimEnd();
  } catch (cause) {
    throw new SettError("not-ready", `Nothing answers at port ${port}.`, { hint: "Does the service run beside this?", cause });
  }
}
