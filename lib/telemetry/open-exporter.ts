// OpenTelemetry's SDK, loaded only where traces are wanted.
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { JsonLog } from "../service/json-log.ts";
import { Exporter } from "./exporter.ts";
import type { TraceSettings } from "./settings.ts";

/** `ExportResultCode` of @opentelemetry/core. */
const [succeeded, failed] = [0, 1];

type Instance = { instance: string; version: string };

export async function openExporter(
  settings: TraceSettings,
  { instance, version }: Instance,
  log: JsonLog,
): Promise<Exporter> {
  const { resourceFromAttributes } = await import("@opentelemetry/resources");
  const { url } = settings;
  const exporter = await (settings.isBehindProxy ? byFetch(settings) : bySdk(settings));
  const resource = resourceFromAttributes({
    "service.version": version,
    "service.namespace": "sett",
    "service.instance.id": instance,
    "sett.instance": instance,
    ...settings.resource,
  });
  return new Exporter({
    exporter,
    origin: { resource, scope: { name: "sett", version } },
    settings,
    log,
    address: withoutPassword(url),
  });
}

async function bySdk({ url, headers, timeoutMs }: TraceSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs });
}

/** Goes by the proxies of the environment, as every `fetch`. */
async function byFetch({ url, headers, timeoutMs }: TraceSettings): Promise<SpanExporter> {
  const { ProtobufTraceSerializer } = await import("@opentelemetry/otlp-transformer");
  const send = async (spans: ReadableSpan[]) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-protobuf" },
      body: new Uint8Array(ProtobufTraceSerializer.serializeRequest(spans) ?? []),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw Object.assign(new Error(answer.statusText), { code: answer.status });
  };
  return {
    export: (spans, done) =>
      void send(spans).then(
        () => done({ code: succeeded }),
        (error: unknown) => done({ code: failed, error: error as Error }),
      ),
    shutdown: async () => undefined,
  };
}

/** Says as much of where spans go as others may read. */
export function withoutPassword(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
