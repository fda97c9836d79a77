// A real collector of OpenTelemetry, and a receiver behind it that has what it passes on.
import { createInterface } from "node:readline";
import { buildForTests } from "../../../.ci/go.ts";
import { startDetached } from "../process/detached-process.ts";
import { freePort } from "../redis/redis-server.ts";
import { waitFor } from "../wait-for.ts";

// Builds nothing where it was built before, as the step `collector` of `npm test` does.
const program = await buildForTests("collector");

/** As OTLP has it in JSON. */
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
  links: { spanId: string }[];
  status: { code?: number; message?: string };
  resource: Record<string, unknown>;
};

export type Collector = AsyncDisposable & {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  /** Returns what was received of this trace, once a span of it is like this. */
  trace(
    traceId: string,
    isIt: (span: ReceivedSpan) => boolean,
    what: string,
  ): Promise<ReceivedSpan[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** The collector is started by the test where `isStopped` is set. */
export async function startCollector({ isStopped = false } = {}): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      spans.push(...spansOf((await request.json()) as Otlp));
      return Response.json({});
    },
  });
  const port = await freePort();
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlp_http: {
        endpoint: `http://127.0.0.1:${receiver.port}`,
        encoding: "json",
        compression: "none",
      },
    },
    service: { pipelines: { traces: { receivers: ["otlp"], exporters: ["otlp_http"] } } },
  };
  let child: ReturnType<typeof startDetached> | undefined;
  const collector: Collector = {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    trace: async (traceId, isIt, what) => {
      const received = () => spans.filter((span) => span.traceId === traceId);
      return await waitFor(what, () => received().some(isIt) && received());
    },
    async start() {
      child = startDetached([program, `--config=yaml:${JSON.stringify(config)}`]);
      child.stdout.resume();
      const lines = createInterface({ input: child.stderr });
      for await (const line of lines) if (line.includes("Everything is ready")) break;
      child.stderr.resume();
    },
    async stop() {
      child?.signal("SIGTERM");
      await child?.exited;
      child = undefined;
    },
    async [Symbol.asyncDispose]() {
      child?.signal("SIGKILL");
      await child?.exited;
      await receiver.stop(true);
    },
  };
  if (!isStopped) await collector.start();
  return collector;
}

type Value = { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };
type Pairs = { key: string; value: Value }[];
type OtlpSpan = Omit<ReceivedSpan, "attributes" | "events" | "links" | "resource" | "status"> & {
  attributes?: Pairs;
  events?: { name: string; attributes?: Pairs }[];
  links?: { spanId: string }[];
  status?: { code?: number; message?: string };
};
type Otlp = {
  resourceSpans: { resource: { attributes: Pairs }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

function spansOf({ resourceSpans }: Otlp): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        attributes: recordOf(span.attributes),
        events: (span.events ?? []).map(({ name, attributes }) => ({
          name,
          attributes: recordOf(attributes),
        })),
        links: span.links ?? [],
        status: span.status ?? {},
        resource: recordOf(resource.attributes),
      })),
    ),
  );
}

function recordOf(pairs: Pairs = []): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue)),
    ]),
  );
}
