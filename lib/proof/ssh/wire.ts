// The binary form of what SSH writes: lengths of 4 bytes, and bytes. Pure.
import { Buffer } from "node:buffer";

/** Reads from the front. What is not there makes all that follows undefined. */
export class WireReader {
  #rest: Buffer;
  #isBroken = false;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  /** It was read whole, and nothing is behind it. */
  get isAtEnd(): boolean {
    return !this.#isBroken && this.#rest.length === 0;
  }

  bytes(count: number): Buffer {
    if (this.#rest.length < count) this.#isBroken = true;
    const read = this.#isBroken ? Buffer.alloc(0) : this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(read.length);
    return read;
  }

  number(): number {
    const read = this.bytes(4);
    return this.#isBroken ? 0 : read.readUInt32BE();
  }

  string(): Buffer {
    return this.bytes(this.number());
  }

  text(): string {
    return this.string().toString("latin1");
  }

  /** A positive number of at most `count` bytes, padded at the front; undefined for all else. */
  positive(count: number): Buffer | undefined {
    const digits = this.digits();
    if (digits === undefined || digits.length > count) return undefined;
    return Buffer.concat([Buffer.alloc(count - digits.length), digits]);
  }

  /** A positive number, as it is written in one way only. */
  digits(): Buffer | undefined {
    const read = this.string();
    if (read.length === 0 || (read[0] ?? 0) > 0x7f) return undefined;
    const isPadded = read[0] === 0;
    if (isPadded && (read[1] ?? 0) <= 0x7f) return undefined;
    return isPadded ? read.subarray(1) : read;
  }
}

export function wireString(content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Undefined where it is not written as base64 is: with `=` at its end, and unused bits of 0. */
export function base64Bytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
