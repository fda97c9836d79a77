// The variables of OpenTelemetry that `sett up` hands on to the API, which sends the traces. Pure.
import { createHash } from "node:crypto";
import { SettError } from "../../../../lib/model/errors.ts";
import { TelemetryEnvironment } from "../../../../lib/telemetry/settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Headers may have a token in them, so that they take another way than the environment of a
 * container, which others can read.
 */
const headerNames = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"];
const ownNames = /^(?:OTEL_(?:EXPORTER_OTLP|BSP|SERVICE|RESOURCE|SDK|TRACES)_|SETT_(?=TELEMETRY_))/;
/** Files of this machine, which the container does not see. */
const fileNames = /_(?:CERTIFICATE|CLIENT_KEY)$/;

/**
 * The file with the headers, among the secrets of webhooks. Other headers are another file, and so
 * another API.
 */
function headersFile(text: string): string {
  return `otel-headers-${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

/**
 * Throws `usage` for what the API would refuse at its start. No value is shown: headers may have a
 * token in them.
 */
export function requireTelemetry(env: Environment): void {
  const own = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => isHandedOn(name) && value !== ""),
  );
  const { error } = TelemetryEnvironment.safeParse(own);
  if (error === undefined) return;
  const problems = error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  const names = [...new Set(error.issues.map(({ path }) => String(path[0])))];
  throw new SettError(
    "usage",
    `No traces can be sent with this environment: ${problems.join("; ")}.`,
    {
      hint: `Set it so, or do without: unset ${names.join(" ")}`,
    },
  );
}

function isHandedOn(name: string): boolean {
  return headerNames.includes(name) || (ownNames.test(name) && !fileNames.test(name));
}

/** `headers`: the name of their file. */
export function telemetryOf(env: Environment): {
  variables: Record<string, string>;
  headers: string | undefined;
} {
  return { variables: variablesOf(env), headers: Object.keys(telemetryHeaders(env))[0] };
}

function variablesOf(env: Environment): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) => {
    return isHandedOn(name) && !headerNames.includes(name) && value !== undefined && value !== ""
      ? [[name, value] as const]
      : [];
  });
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** As the secret of a webhook is given: in base64, by its name. */
export function telemetryHeaders(env: Environment): Record<string, string> {
  const text = headerNames.flatMap((name) => env[name] || []).join(",");
  return text === "" ? {} : { [headersFile(text)]: Buffer.from(text).toString("base64") };
}
