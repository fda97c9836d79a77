// The ids of events, which are those of a Redis stream: milliseconds and a number. They grow.
import { eventIdPattern } from "../../../lib/model/event.ts";

export function isEventId(text: string): boolean {
  return eventIdPattern.test(text);
}

/** Below 0 where `one` comes first. An id without a number is the first of its millisecond. */
export function compareIds(one: string, other: string): number {
  const [ms, number] = partsOf(one);
  const [otherMs, otherNumber] = partsOf(other);
  if (ms !== otherMs) return ms - otherMs;
  return number === otherNumber ? 0 : number < otherNumber ? -1 : 1;
}

/** The number may have more bits than a number here. */
function partsOf(id: string): [number, bigint] {
  const [, ms = "0", number = "0"] = eventIdPattern.exec(id) ?? [];
  return [Number(ms), BigInt(number)];
}
