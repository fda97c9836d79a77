// The headers for the collector of traces, where they may have a token: a file that `sett up` puts
// there when the container runs.
import { parsePairs, type TelemetrySettings } from "../../lib/telemetry/settings.ts";
import { readHookSecret } from "./hook-secrets.ts";
import { untilGiven } from "./until-given.ts";

type Settings = {
  telemetry: TelemetrySettings;
  telemetryHeaders?: string | undefined;
  hookSecretsFolder?: string | undefined;
};

/** Waits for the file. Throws `not-ready`. */
export async function withHeaders(
  settings: Settings,
  signal: AbortSignal,
): Promise<TelemetrySettings> {
  const { telemetry, telemetryHeaders: name, hookSecretsFolder: folder } = settings;
  if (name === undefined || folder === undefined || telemetry.traces === undefined)
    return telemetry;
  const text = await untilGiven(
    () => readHookSecret(folder, name),
    "The file with the headers for the collector of traces is missing.",
    signal,
  );
  return {
    ...telemetry,
    traces: { ...telemetry.traces, headers: { ...telemetry.traces.headers, ...parsePairs(text) } },
  };
}
