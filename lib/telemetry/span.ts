// A span as the log tells it: data, before any SDK sees it.

export type Attributes = Record<string, string | number | boolean>;

export type SpanEvent = { name: string; timeMs: number; attributes: Attributes };

/**
 * They are listed from the outside in: each kind is a child of the one before, but for `bids` and
 * `grant`, which are children of the claim.
 */
export const spanKinds = [
  "goal",
  "claim",
  "bids",
  "grant",
  "attempt",
  "tool",
  "model_call",
] as const;
export type SpanKind = (typeof spanKinds)[number];

/** `error`: what kind of failure it was, as a word. Times are Unix milliseconds of Redis' clock. */
export type FinishedSpan = {
  kind: SpanKind;
  name: string;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  error: string | undefined;
  events: SpanEvent[];
  droppedEvents: number;
  /** Spans of the same trace without which this one would not be. */
  links: string[];
};

/** The specification's default limit of events for one span. */
const maxEvents = 128;

/** Events of a span that is still open, the first ones of them. */
export class SpanEvents {
  readonly events: SpanEvent[] = [];
  droppedEvents = 0;

  add(name: string, timeMs: number, attributes: Attributes = {}): void {
    if (this.events.length < maxEvents) this.events.push({ name, timeMs, attributes });
    else this.droppedEvents += 1;
  }
}

/**
 * Leaves out what is unknown. It has a loop, because it is called several times for each event of a
 * busy log.
 */
export function attributesOf(
  values: Record<string, string | number | boolean | undefined>,
): Attributes {
  const known: Attributes = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) known[name] = value;
  }
  return known;
}
