// The tar format: headers of entries, and the entries of an archive as they come. Pure.
import { Buffer } from "node:buffer";
import type { Owner } from "./container-spec.ts";
import type { VolumeFile } from "./port.ts";

export const blockBytes = 512;

/** Two empty blocks end an archive. */
export const archiveEnd: Uint8Array = Buffer.alloc(2 * blockBytes);

/** `kind`: 0 for a file, 5 for a folder, x for records about the entry after it. */
export type TarHeader = {
  /** At most 100 bytes after one of its slashes, and 155 before it. */
  name: string;
  kind: "0" | "5" | "x";
  /** In bytes. */
  size: number;
  mode: number;
  owner: Owner;
};

/** `kind` as it is written: an archive of others may have kinds that no archive of ours has. */
export type FoundHeader = { name: string; kind: string; size: number };

/** Throws RangeError for a name that is too long. */
export function writeHeader({ name, kind, size, mode, owner }: TarHeader): Buffer {
  const header = Buffer.alloc(blockBytes);
  writeName(header, Buffer.from(name));
  writeNumber(header, mode, { at: 100, digits: 7 });
  writeNumber(header, owner.uid, { at: 108, digits: 7 });
  writeNumber(header, owner.gid, { at: 116, digits: 7 });
  writeNumber(header, size, { at: 124, digits: 11 });
  header.write("00000000000", 136); // time of change
  header.write(kind, 156);
  header.write("ustar\u000000", 257);
  const checksum = checksumOf(header);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** A name beyond its field begins in a second one: a reader joins the two by a slash. */
function writeName(header: Buffer, name: Buffer): void {
  if (name.length <= 100) {
    name.copy(header, 0);
    return;
  }
  const slash = name.indexOf("/", name.length - 101);
  if (slash < 1 || slash > 155 || slash === name.length - 1)
    throw new RangeError(`The name ${name.toString()} is too long for a tar archive.`);
  name.copy(header, 345, 0, slash);
  name.copy(header, 0, slash + 1);
}

/** `end` for an empty block; undefined where the block is no header. */
export function readHeader(block: Buffer): FoundHeader | "end" | undefined {
  if (block.every((byte) => byte === 0)) return "end";
  const checksum = Number.parseInt(textAt(block, 148, 8).trim(), 8);
  const size = readNumber(block, 124, 12);
  if (checksum !== checksumOf(block) || size === undefined) return undefined;
  const isUstar = block.toString("latin1", 257, 262) === "ustar";
  const prefix = isUstar ? textAt(block, 345, 155) : "";
  const name = textAt(block, 0, 100);
  const kind = block[156] === 0 ? "0" : block.toString("latin1", 156, 157);
  return { name: prefix === "" ? name : `${prefix}/${name}`, kind, size };
}

/** Returns the number of bytes that follow the content of an entry, up to the next block. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

/** Throws RangeError for a name that is too long, and BrokenArchive for a file that was cut. */
export async function* writeTar(
  files: AsyncIterable<VolumeFile>,
  { mode, owner }: Pick<TarHeader, "mode" | "owner">,
): AsyncGenerator<Uint8Array> {
  for await (const { path, size, content } of files) {
    yield writeHeader({ name: path, kind: "0", size, mode, owner });
    let written = 0;
    for await (const chunk of content) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size) throw new BrokenArchive(`${path} was cut while it was read.`);
    yield new Uint8Array(paddingOf(size));
  }
  yield archiveEnd;
}

/** The content must be read before the next entry is asked for, or is left out. */
export type TarEntry = FoundHeader & { content: AsyncIterable<Uint8Array> };

/** The archive ends in the middle of an entry, or what comes is none. */
export class BrokenArchive extends Error {}

/** Throws BrokenArchive. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = new Pieces(chunks);
  try {
    for (;;) {
      const block = await source.take(blockBytes);
      const header = readHeader(block);
      if (header === undefined) throw new BrokenArchive("It has no header where one must be.");
      if (header === "end") return;
      const end = source.at + header.size + paddingOf(header.size);
      yield { ...header, content: source.upTo(header.size) };
      await source.skip(end - source.at);
    }
  } finally {
    await source.close();
  }
}

/** A stream of which so many bytes are taken at once. */
class Pieces {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();
  /** The number of bytes that were taken. */
  at = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(size: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.upTo(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *upTo(size: number): AsyncGenerator<Uint8Array> {
    let left = size;
    while (left > 0) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done === true) throw new BrokenArchive("It ends too early.");
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      this.at += part.length;
      left -= part.length;
      if (part.length > 0) yield part;
    }
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.upTo(size));
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** The checksum is computed with spaces in its own place. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}

/**
 * Octal digits; numbers beyond them (ids of directory services, files of 8 GiB) in the binary form
 * that a set first bit announces.
 */
function writeNumber(
  header: Buffer,
  value: number,
  { at, digits }: { at: number; digits: number },
): void {
  if (value < 8 ** digits) {
    header.write(value.toString(8).padStart(digits, "0"), at);
    return;
  }
  header[at] = 0x80;
  header.writeUIntBE(value, at + digits + 1 - 6, 6);
}

/** Undefined where it is no number, or none that this program can count with. */
function readNumber(header: Buffer, at: number, length: number): number | undefined {
  if (header[at] === 0x80) {
    const high = header.subarray(at + 1, at + length - 6);
    const value = header.readUIntBE(at + length - 6, 6);
    return high.every((byte) => byte === 0) ? value : undefined;
  }
  const text = textAt(header, at, length).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

/** Up to the first zero byte. */
function textAt(header: Buffer, at: number, length: number): string {
  const bytes = header.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end === -1 ? length : end);
}
