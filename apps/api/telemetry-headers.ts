// The headers for the collector of traces, where they may have a token: a file that `sett up` puts there when the container runs.
import { sleep } from "../../lib/async/sleep.ts";
import { SettError } from "../../lib/model/errors.ts";
import { parsePairs, type TelemetrySettings } from "../../lib/telemetry/settings.ts";
import { readHookSecret } from "./hook-secrets.ts";

type Settings = { telemetry: TelemetrySettings; telemetryHeaders?: string | undefined; hookSecretsFolder?: string | undefined };

const pollMs = 50;
/** `sett up` puts it there at once, or has done so at an earlier start. */
const patienceMs = 60_000;

/** Waits for the file. Throws `not-ready`. */
export async function withHeaders(settings: Settings, signal: AbortSignal): Promise<TelemetrySettings> {
  const { telemetry, telemetryHeaders: name, hookSecretsFolder: folder } = settings;
  if (name === undefined || folder === undefined || telemetry.traces === undefined) return telemetry;
  for (const started = performance.now(); ; await sleep(pollMs, signal)) {
    const text = await readHookSecret(folder, name);
    if (text !== undefined) {
      const headers = { ...telemetry.traces.headers, ...parsePairs(text) };
      return { ...telemetry, traces: { ...telemetry.traces, headers } };
    }
    if (!signal.aborted && performance.now() - started < patienceMs) continue;
    throw new SettError("not-ready", "The headers for the collector of traces are missing.", {
      hint: "`sett up` puts them there.",
    });
  }
}
