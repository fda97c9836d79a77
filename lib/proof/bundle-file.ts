// A file of a bundle, which is read piece by piece: a bundle may be larger than the memory. Pure.
import { Buffer } from "node:buffer";

/** `read` fills `into` with the bytes from `at` on. It is asked only for what is there. */
export type Bytes = { size: number; read: (into: Uint8Array, at: number) => Promise<void> };

/** Bytes that are read at once; more only where a line has more. */
export const pieceBytes = 256 * 1024;

const lineFeed = 0x0a;

export class BundleFile {
  readonly size: number;
  /** The digest of the content, in hexadecimal digits; only artefacts and facts have one. */
  readonly sha256: string | undefined;
  readonly #archive: Bytes;
  readonly #at: number;

  constructor(
    archive: Bytes,
    { at, size, sha256 }: { at: number; size: number; sha256?: string | undefined },
  ) {
    this.#archive = archive;
    this.#at = at;
    this.size = size;
    this.sha256 = sha256;
  }

  async whole(): Promise<Buffer> {
    const content = Buffer.alloc(this.size);
    await this.#archive.read(content, this.#at);
    return content;
  }

  /**
   * Its lines with their line feeds; the last one may have none. The lines of one piece come at
   * once, and stay as they are until the next ones are asked for.
   */
  async *lines(): AsyncGenerator<Buffer[]> {
    let buffer = Buffer.allocUnsafe(Math.min(pieceBytes, this.size));
    let kept = 0;
    for (let at = 0; at < this.size; ) {
      if (kept === buffer.length)
        buffer = Buffer.concat([buffer], Math.min(buffer.length * 2, this.size));
      const end = kept + Math.min(buffer.length - kept, this.size - at);
      await this.#archive.read(buffer.subarray(kept, end), this.#at + at);
      at += end - kept;
      const lines: Buffer[] = [];
      let from = 0;
      for (let to = buffer.indexOf(lineFeed, kept) + 1; to > 0 && to <= end; ) {
        lines.push(buffer.subarray(from, to));
        from = to;
        to = buffer.indexOf(lineFeed, from) + 1;
      }
      if (at === this.size && from < end) lines.push(buffer.subarray(from, end));
      if (lines.length > 0) yield lines;
      buffer.copyWithin(0, from, end);
      kept = end - from;
    }
  }
}

/** Goes forward through the lines of a file, to those that are asked for. */
export class LineCursor {
  readonly #groups: AsyncGenerator<Buffer[]>;
  #lines: Buffer[] = [];
  /** The number of the first of these lines, from 1. */
  #first = 1;

  constructor(file: BundleFile) {
    this.#groups = file.lines();
  }

  /** The line stays as it is until a later one is asked for. Undefined beyond the last. */
  async to(number: number): Promise<Buffer | undefined> {
    while (number >= this.#first + this.#lines.length) {
      const { value, done } = await this.#groups.next();
      if (done === true) return undefined;
      this.#first += this.#lines.length;
      this.#lines = value;
    }
    return this.#lines[number - this.#first];
  }
}
