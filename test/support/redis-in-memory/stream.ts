// A stream: entries by ids that only grow.
import { Refused } from "./reply.ts";

/** Of 64 bits: a bigint where a number would not be exact, and only there. */
export type Whole = number | bigint;
export type StreamId = readonly [ms: Whole, sequence: Whole];
export type Entry = { id: StreamId; fields: readonly string[] };

const largest = 2n ** 64n - 1n;
export const firstId: StreamId = [0, 0];
export const lastId: StreamId = [largest, largest];

export class Stream {
  entries: Entry[] = [];
  lastId: StreamId = firstId;
  /** How many were ever added. */
  added = 0;

  add(id: StreamId, fields: readonly string[]): void {
    this.entries.push({ id, fields });
    this.lastId = id;
    this.added += 1;
  }

  /** The place of the first entry with this id or a later one. */
  placeOf(id: StreamId): number {
    let [low, high] = [0, this.entries.length];
    const last = this.entries.at(-1);
    if (last === undefined || compareIds(last.id, id) < 0) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds((this.entries[middle] as Entry).id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The place behind the last entry with this id or an earlier one. */
  placeAfter(id: StreamId): number {
    const next = idAfter(id);
    return next === undefined ? this.entries.length : this.placeOf(next);
  }

  copy(): Stream {
    const copy = new Stream();
    copy.entries = [...this.entries];
    copy.lastId = this.lastId;
    copy.added = this.added;
    return copy;
  }
}

export function compareIds(one: StreamId, other: StreamId): number {
  const place = one[0] === other[0] ? 1 : 0;
  const [value, otherValue] = [one[place], other[place]];
  return value === otherValue ? 0 : value < otherValue ? -1 : 1;
}

export function textOfId([ms, sequence]: StreamId): string {
  return `${ms}-${sequence}`;
}

/** `sequence`: where the text names none. */
export function idOf(text: string, sequence: Whole): StreamId {
  const [, ms, own] = /^(\d{1,20})(?:-(\d{1,20}))?$/.exec(text) ?? [];
  if (ms === undefined) throw invalidId();
  return [wholeOf(ms), own === undefined ? sequence : wholeOf(own)];
}

/** Undefined where there is none after it. */
export function idAfter([ms, sequence]: StreamId): StreamId | undefined {
  if (sequence !== largest) return [ms, plusOne(sequence)];
  return ms === largest ? undefined : [plusOne(ms), 0];
}

export function idBefore([ms, sequence]: StreamId): StreamId | undefined {
  if (sequence !== 0) return [ms, plus(sequence, -1)];
  return ms === 0 ? undefined : [plus(ms, -1), largest];
}

export function invalidId(): Refused {
  return new Refused("ERR Invalid stream ID specified as stream command argument");
}

export function plusOne(whole: Whole): Whole {
  return plus(whole, 1);
}

function plus(whole: Whole, step: 1 | -1): Whole {
  if (typeof whole === "number" && whole < Number.MAX_SAFE_INTEGER) return whole + step;
  return canonical(BigInt(whole) + BigInt(step));
}

function wholeOf(digits: string): Whole {
  if (digits.length < 16) return Number(digits);
  const whole = BigInt(digits);
  if (whole > largest) throw invalidId();
  return canonical(whole);
}

function canonical(whole: bigint): Whole {
  return whole <= Number.MAX_SAFE_INTEGER ? Number(whole) : whole;
}
