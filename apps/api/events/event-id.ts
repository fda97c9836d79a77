// The ids of events, which are those of a Redis stream: milliseconds and a number. They grow.

const wholeId = /^(\d{1,15})(?:-(\d{1,20}))?$/;

export function isEventId(text: string): boolean {
  return wholeId.test(text);
}

/** Below 0 where `one` comes first. An id without a number is the first of its millisecond. */
export function compareIds(one: string, other: string): number {
  const [ms, number] = partsOf(one);
  const [otherMs, otherNumber] = partsOf(other);
  if (ms !== otherMs) return ms - otherMs;
  return number === otherNumber ? 0 : number < otherNumber ? -1 : 1;
}

/** The number may have 64 bits. */
function partsOf(id: string): [number, bigint] {
  const [, ms = "0", number = "0"] = wholeId.exec(id) ?? [];
  return [Number(ms), BigInt(number)];
}
