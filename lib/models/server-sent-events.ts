// Server-sent events in a stream of bytes, as they arrive.

export type Bytes = Uint8Array<ArrayBuffer>;

/** One event: its bytes with the blank line at the end, and its data. */
export type ServerSentEvent = { bytes: Bytes; data: string };

const newline = 10;
const carriageReturn = 13;

/** An event that never ends must not fill the memory. Bytes. */
const maxEventBytes = 16 * 1024 * 1024;

export class EventSplitter {
  #rest: Bytes[] = [];
  #restBytes = 0;
  /** Whether the bytes at the end of the rest are a line without any character. */
  #isLineEmpty = true;

  /** The events that end in this chunk. */
  push(chunk: Bytes): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    let begin = 0;
    let lineBegin = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, lineBegin)) {
      const isBlank =
        (lineBegin > 0 || this.#isLineEmpty) &&
        (end === lineBegin || (end === lineBegin + 1 && chunk[lineBegin] === carriageReturn));
      this.#isLineEmpty = true;
      lineBegin = end + 1;
      if (!isBlank) continue;
      const bytes = joined([...this.#rest, chunk.subarray(begin, lineBegin)]);
      this.#forget();
      begin = lineBegin;
      events.push({ bytes, data: dataOf(bytes) });
    }
    if (begin < chunk.length) this.#keep(chunk.subarray(begin));
    if (lineBegin < chunk.length)
      this.#isLineEmpty = chunk.length === lineBegin + 1 && chunk[lineBegin] === carriageReturn;
    return events;
  }

  /** The bytes of an event that has not ended. */
  takeRest(): Bytes {
    const rest = joined(this.#rest);
    this.#forget();
    return rest;
  }

  /** Whether an event has begun that has not ended. */
  get hasRest(): boolean {
    return this.#restBytes > 0;
  }

  /** Whether the rest is too large to be kept: the caller must take it. */
  get isOverfull(): boolean {
    return this.#restBytes > maxEventBytes;
  }

  #keep(bytes: Bytes): void {
    // The chunk may be a part of a buffer that its owner uses again.
    this.#rest.push(bytes.slice());
    this.#restBytes += bytes.length;
  }

  #forget(): void {
    this.#rest = [];
    this.#restBytes = 0;
  }
}

export function joined(parts: readonly Bytes[]): Bytes {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The data of one event, with or without the blank line at its end. */
export function dataOf(bytes: Bytes): string {
  const lines = new TextDecoder().decode(bytes).split(/\r\n?|\n/);
  return lines
    .flatMap((line) => (line.startsWith("data:") ? [line.slice(line[5] === " " ? 6 : 5)] : []))
    .join("\n");
}
