// An event as clients get it: made when the first client wants it, and once for all of them.
import type { SettEvent } from "../../../lib/model/event.ts";

const encoder = new TextEncoder();

/** The names of an event, and its ids. */
const usualBytes = 400;

export class Sent {
  readonly event: SettEvent;
  /** About so much memory: most events are never sent, and to measure one costs as much as to make it. */
  readonly bytes: number;
  #frame: Uint8Array | undefined;

  constructor(event: SettEvent) {
    this.event = event;
    this.bytes = usualBytes + lengthOf(event.data);
  }

  get frame(): Uint8Array {
    this.#frame ??= encoder.encode(`id: ${this.event.id}\nevent: sett\ndata: ${JSON.stringify(this.event)}\n\n`);
    return this.#frame;
  }
}

function lengthOf(data: SettEvent["data"]): number {
  let length = 0;
  for (const name in data) {
    const value = data[name];
    length += typeof value === "string" ? value.length : 8;
  }
  return length;
}

/** The last that was joined: as a rule all clients who want all get the same. */
let last: { events: readonly Sent[]; whole: Uint8Array } | undefined;

/** One chunk of them all. */
export function joined(events: readonly Sent[]): Uint8Array {
  if (events.length === 1 && events[0] !== undefined) return events[0].frame;
  if (last !== undefined && isSame(last.events, events)) return last.whole;
  const whole = new Uint8Array(events.reduce((sum, { frame }) => sum + frame.byteLength, 0));
  let at = 0;
  for (const { frame } of events) {
    whole.set(frame, at);
    at += frame.byteLength;
  }
  last = { events, whole };
  return whole;
}

function isSame(some: readonly Sent[], others: readonly Sent[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
