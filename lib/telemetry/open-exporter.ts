// OpenTelemetry's SDK, loaded only where traces are wanted.
import type { JsonLog } from "../service/json-log.ts";
import { Exporter } from "./exporter.ts";
import type { TraceSettings } from "./settings.ts";

type Instance = { instance: string; version: string };

export async function openExporter(
  settings: TraceSettings,
  { instance, version }: Instance,
  log: JsonLog,
): Promise<Exporter> {
  const [{ OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/exporter-trace-otlp-proto"),
    import("@opentelemetry/resources"),
  ]);
  const { url, headers, timeoutMs } = settings;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs });
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

/** Says as much of where spans go as others may read. */
export function withoutPassword(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
