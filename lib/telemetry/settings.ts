// Reads what the environment says about telemetry, by the variables of OpenTelemetry where it has
// one. `main.ts` hands the environment over. Those for compression and certificates
// (OTEL_EXPORTER_OTLP_COMPRESSION …) are read by the SDK itself.
import { z } from "zod";
import { DurationText, NonEmpty } from "../service/environment.ts";

const hour = 3_600_000;
/** OpenTelemetry writes durations as bare milliseconds. */
const Milliseconds = wholeNumber(0, "a whole number of milliseconds, such as 10000");
const Count = wholeNumber(1, "a whole number of at least 1");

const Endpoint = z.url({
  protocol: /^https?$/,
  error: "must be an http or https address such as http://collector:4318",
});

function wholeNumber(min: number, expected: string) {
  const error = `must be ${expected}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error });
}

/** `name=value` with commas between; values may be percent-encoded, as in a URL. */
const Pairs = z.string().transform((text, context): Record<string, string> => {
  const pairs = parsePairs(text);
  if (pairs !== undefined) return pairs;
  context.addIssue({ code: "custom", message: "must be pairs such as name=value,other=value" });
  return z.NEVER;
});

/** Undefined for what is not of this form. */
export function parsePairs(text: string): Record<string, string> | undefined {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  const read = pairs.map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
  if (!read.every((pair) => pair !== null)) return undefined;
  return Object.fromEntries(read.map(([, name = "", value = ""]) => [name, decoded(value)]));
}

const isTrue = z.string().transform((text) => text.trim().toLowerCase() === "true");

export const TelemetryEnvironment = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: Endpoint.optional().describe(
    "Where traces are sent, as OTLP over HTTP (`/v1/traces` is added). Without it no traces are made.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Endpoint.optional().describe(
    "The same for traces alone, the whole address.",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Pairs.optional().describe(
    "Headers of each request, such as `authorization=Bearer%20TOKEN`.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: Pairs.optional().describe("The same for traces alone."),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal("http/protobuf", { error: "must be http/protobuf, the one protocol that Sett speaks" })
    .default("http/protobuf")
    .describe("The protocol; there is no other."),
  OTEL_EXPORTER_OTLP_TIMEOUT: Milliseconds.default(10_000).describe(
    "How long one request may take, in milliseconds.",
  ),
  OTEL_BSP_SCHEDULE_DELAY: Milliseconds.default(1_000).describe(
    "How long spans wait for others, in milliseconds.",
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: Count.default(10_000).describe(
    "How many spans wait at most while the collector does not answer.",
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: Count.default(512).describe(
    "How many spans one request has at most.",
  ),
  OTEL_SERVICE_NAME: NonEmpty.default("sett").describe("The `service.name` of the spans."),
  OTEL_RESOURCE_ATTRIBUTES: Pairs.optional().describe(
    "More attributes of the resource, such as `deployment.environment=prod`.",
  ),
  OTEL_SDK_DISABLED: isTrue.default(false).describe("`true`: no traces."),
  OTEL_TRACES_EXPORTER: z
    .enum(["otlp", "none"], { error: "must be otlp or none" })
    .default("otlp")
    .describe("`none`: no traces."),
  SETT_TELEMETRY_HISTORY: DurationText.default(24 * hour).describe(
    "How old a goal may be whose open spans are found again in the log after a start.",
  ),
  SETT_TELEMETRY_FROM: DurationText.default(0).describe(
    "What has ended since then is exported after a start, too, also if it was before. Default: nothing.",
  ),
});

/** The place where spans go. `headers` may have secrets. */
export type TraceSettings = {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
  delayMs: number;
  maxQueue: number;
  maxBatch: number;
  resource: Record<string, string>;
  /** The SDK's own client knows no proxies under this runtime. */
  isBehindProxy: boolean;
};

/** `traces`: undefined where they are not exported. */
export type TelemetrySettings = {
  traces: TraceSettings | undefined;
  historyMs: number;
  sinceMs: number;
};

/** `wayTo`: as `throughProxy`. */
export function telemetrySettings(
  env: z.output<typeof TelemetryEnvironment>,
  wayTo: (url: string) => string,
): TelemetrySettings {
  return {
    traces: tracesOf(env, wayTo),
    historyMs: env.SETT_TELEMETRY_HISTORY,
    sinceMs: env.SETT_TELEMETRY_FROM,
  };
}

function tracesOf(
  env: z.output<typeof TelemetryEnvironment>,
  wayTo: (url: string) => string,
): TraceSettings | undefined {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url =
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/+$/, "")}/v1/traces`);
  if (url === undefined || env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === "none")
    return undefined;
  return {
    url,
    headers: { ...env.OTEL_EXPORTER_OTLP_HEADERS, ...env.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    timeoutMs: env.OTEL_EXPORTER_OTLP_TIMEOUT,
    delayMs: env.OTEL_BSP_SCHEDULE_DELAY,
    maxQueue: env.OTEL_BSP_MAX_QUEUE_SIZE,
    maxBatch: env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    resource: { ...env.OTEL_RESOURCE_ATTRIBUTES, "service.name": env.OTEL_SERVICE_NAME },
    isBehindProxy: wayTo(url) !== "",
  };
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
