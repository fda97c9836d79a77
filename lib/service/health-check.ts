// The container's HEALTHCHECK in images without curl: the program requests the health of the
// service beside it.
import { SettError } from "../model/errors.ts";

/**
 * The exit code: 0 when `GET /healthz` on this machine answers 200 within ten seconds, which also a
 * busy machine allows. Otherwise `say` gets the reason, which the Engine keeps for who looks.
 */
export async function runHealthcheck(port: number, say: (reason: string) => void): Promise<0 | 1> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, {
      signal: AbortSignal.timeout(10_000),
    });
    if (answer.ok) return 0;
    say(reasonIn(await answer.text()));
  } catch {
    say(`Nothing answers at port ${port}.`);
  }
  return 1;
}

/** A service that starts may say something else than a report. */
function reasonIn(text: string): string {
  try {
    const { reason } = JSON.parse(text);
    return String(reason);
  } catch {
    return text;
  }
}

/** The metrics of the service on this machine. Throws `not-ready` where it does not answer. */
export async function readMetrics(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
      signal: AbortSignal.timeout(2_000),
    });
    return (await answer.text()).trimEnd();
  } catch (cause) {
    throw new SettError("not-ready", `Nothing answers at port ${port}.`, {
      hint: "Does the service run beside this?",
      cause,
    });
  }
}
