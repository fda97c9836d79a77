// Takes a provider's key out of what the provider answers: one that quotes it, in an error or in a
// stream, must not show it to an agent.
import { Buffer } from "node:buffer";
import { isSecret } from "../../lib/models/cassette/hide-secrets.ts";
import { type Bytes, joined } from "../../lib/models/server-sent-events.ts";

const hidden = new TextEncoder().encode("[key]");

/** Without a key, or with a short word as a key, nothing is hidden. */
export class KeyHider {
  readonly #key: Bytes;
  /** The end of what was pushed, where it may be the beginning of the key. */
  #rest: Bytes = new Uint8Array();

  constructor(key: string | undefined) {
    this.#key = new TextEncoder().encode(key !== undefined && isSecret(key) ? key : "");
  }

  /** Returns as much as may be shown by now. */
  push(chunk: Bytes): Bytes {
    if (this.#key.length === 0) return chunk;
    const bytes = this.#rest.length === 0 ? chunk : joined([this.#rest, chunk]);
    const shown = this.#withoutKeys(bytes);
    const end = shown.length - this.#begunAtEnd(shown);
    // The chunk may be a part of a buffer that its owner uses again.
    this.#rest = shown.slice(end);
    return end === shown.length ? shown : shown.subarray(0, end);
  }

  /** Returns the rest, at the end. */
  finish(): Bytes {
    const rest = this.#rest;
    this.#rest = new Uint8Array();
    return rest;
  }

  /** Hides the key in a whole text. */
  hideIn(bytes: Bytes): Bytes {
    return this.#key.length === 0 ? bytes : this.#withoutKeys(bytes);
  }

  /** A header that has the key is left out. */
  headersOf({ headers }: Response): Headers {
    if (this.#key.length === 0) return headers;
    const key = new TextDecoder().decode(this.#key);
    return new Headers([...headers].filter(([, value]) => !value.includes(key)));
  }

  #withoutKeys(bytes: Bytes): Bytes {
    const parts: Bytes[] = [];
    let from = 0;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = buffer.indexOf(this.#key); at !== -1; at = buffer.indexOf(this.#key, from)) {
      parts.push(bytes.subarray(from, at), hidden);
      from = at + this.#key.length;
    }
    return from === 0 ? bytes : joined([...parts, bytes.subarray(from)]);
  }

  /** How many bytes at the end are a beginning of the key. */
  #begunAtEnd(bytes: Bytes): number {
    for (let length = Math.min(this.#key.length - 1, bytes.length); length > 0; length--) {
      const end = bytes.length - length;
      if (this.#key.subarray(0, length).every((byte, index) => bytes[end + index] === byte))
        return length;
    }
    return 0;
  }
}
