// An event as clients get it: made when the first client wants it, and once for all of them.
import type { SettEvent } from "../../../lib/model/event.ts";

const encoder = new TextEncoder();

/** The names of an event, and its ids. */
const usualBytes = 400;

export class Sent {
  readonly event: SettEvent;
  /**
   * About so much memory: most events are never sent, and to measure one costs as much as to make
   * it.
   */
  readonly bytes: number;
  #frame: Uint8Array | undefined;

  constructor(event: SettEvent) {
    this.event = event;
    this.bytes = usualBytes + lengthOf(event.data);
  }

  get frame(): Uint8Array {
    this.#frame ??= encoder.encode(
      `id: ${this.event.id}\nevent: sett\ndata: ${JSON.stringify(this.event)}\n\n`,
    );
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

const wholes = new WeakMap<readonly Sent[], Uint8Array>();

/** The chunk of all of them is made once for clients that get the same list. */
export function joined(events: readonly Sent[]): Uint8Array {
  if (events.length === 1 && events[0] !== undefined) return events[0].frame;
  const known = wholes.get(events);
  if (known !== undefined) return known;
  const whole = new Uint8Array(events.reduce((sum, { frame }) => sum + frame.byteLength, 0));
  let at = 0;
  for (const { frame } of events) {
    whole.set(frame, at);
    at += frame.byteLength;
  }
  wholes.set(events, whole);
  return whole;
}
