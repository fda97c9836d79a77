// Packs as no git would write them.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

const typeNumbers = { commit: 1, tree: 2, blob: 3 };

export type PackEntry =
  | { type: keyof typeof typeNumbers; content: Buffer }
  /**
   * A delta against an object of that name, which claims to make `resultBytes`, and the
   * instructions that do.
   */
  | { base: string; baseBytes: number; resultBytes: number; instructions: Buffer };

export function packOf(entries: readonly PackEntry[]): Buffer {
  const header = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  header.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([header, ...entries.map(written)]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** An object's name. */
export function objectName(type: string, content: Buffer): string {
  return createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
}

function written(entry: PackEntry): Buffer {
  if ("content" in entry) {
    return Buffer.concat([
      entryHeader(typeNumbers[entry.type], entry.content.length),
      deflateSync(entry.content),
    ]);
  }
  const delta = Buffer.concat([
    sizeOf(entry.baseBytes),
    sizeOf(entry.resultBytes),
    entry.instructions,
  ]);
  return Buffer.concat([
    entryHeader(7, delta.length),
    Buffer.from(entry.base, "hex"),
    deflateSync(delta),
  ]);
}

/** Four bits of the size beside the type, then seven at a time. */
function entryHeader(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16);
  const first = (type << 4) | (size % 16);
  return rest === 0
    ? Buffer.from([first])
    : Buffer.concat([Buffer.from([first | 0x80]), sizeOf(rest)]);
}

function sizeOf(size: number): Buffer {
  const bytes: number[] = [];
  for (let rest = size; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    if (rest < 128) return Buffer.from(bytes);
  }
}
