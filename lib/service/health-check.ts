// The container's HEALTHCHECK in images without curl: the program requests the health of the
// service beside it.
import { sleep } from "../async/sleep.ts";
import { SettError } from "../model/errors.ts";

const pauseMs = 50;

/**
 * The exit code: 0 when `GET /healthz` on this machine answers 200 within ten seconds, which also a
 * busy machine allows. Otherwise `say` gets the reason, which the Engine keeps for who looks. A
 * service that starts is waited for: another check would be another start of a program.
 */
export async function runHealthcheck(
  port: number,
  say: (reason: string) => void,
  patienceMs = 10_000,
): Promise<0 | 1> {
  const over = AbortSignal.timeout(patienceMs);
  for (;;) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: over });
      if (answer.ok) return 0;
      say(reasonIn(await answer.text()));
      return 1;
    } catch {
      if (over.aborted) break;
      await sleep(pauseMs, over);
    }
  }
  say(`Nothing answers at port ${port}.`);
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
