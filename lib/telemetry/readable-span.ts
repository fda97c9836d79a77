// A span of the log as the SDK's exporters read it.
import {
  type HrTime,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { FinishedSpan } from "./span.ts";

export type Origin = { resource: Resource; scope: { name: string; version: string } };

export function readableSpan(span: FinishedSpan, { resource, scope }: Origin): ReadableSpan {
  const contextOf = (spanId: string): SpanContext => ({
    traceId: span.traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
  });
  const context = contextOf(span.spanId);
  // A clock of another machine may have put the start of a call after its end.
  const startMs = Math.min(span.startMs, span.endMs);
  return {
    name: span.name,
    kind: span.kind === "model_call" ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => context,
    ...(span.parentId !== undefined && { parentSpanContext: contextOf(span.parentId) }),
    startTime: hrTimeOf(startMs),
    endTime: hrTimeOf(span.endMs),
    duration: hrTimeOf(span.endMs - startMs),
    status:
      span.error === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.error },
    attributes: span.attributes,
    links: span.links.map((id) => ({ context: contextOf(id) })),
    events: span.events.map(({ name, timeMs, attributes }) => ({
      name,
      time: hrTimeOf(timeMs),
      attributes,
    })),
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function hrTimeOf(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
}
