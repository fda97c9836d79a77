// The files of a bundle out of its archive, as docs/reference/proof.md#bundles says. It is stricter
// than lib/runtime/tar.ts: what another reader could take for something else is refused. Pure.
import { Buffer } from "node:buffer";

/** By their names in the bundle. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;

/** 2 GiB: all of it is in memory. */
export const maxArchiveBytes = 2 * 1024 ** 3;
export const tooLarge = "It has more than 2 GiB.";

const blockBytes = 512;
const zeros = Buffer.alloc(blockBytes);
const plain = new Set([0, "0".charCodeAt(0)]);

/** Or why it is no bundle, as a sentence. The contents are parts of `archive`. */
export function readArchive(archive: Buffer): BundleFiles | string {
  const files = new Map<string, Uint8Array>();
  let at = 0;
  for (;;) {
    const header = archive.subarray(at, at + blockBytes);
    if (header.length < blockBytes) return "The archive ends too early.";
    at += blockBytes;
    if (header.equals(zeros)) return endsAt(archive, at) ?? files;
    const read = readHeader(header);
    if (typeof read === "string") return read;
    if (files.has(read.name)) return `${JSON.stringify(read.name)} is there twice.`;
    const content = archive.subarray(at, at + read.size);
    at += Math.ceil(read.size / blockBytes) * blockBytes;
    if (at > archive.length) return "The archive ends too early.";
    files.set(read.name, content);
  }
}

/** Undefined where it ends as it must: one more block of zeros or several, and nothing else. */
function endsAt(archive: Buffer, at: number): string | undefined {
  if (archive.length - at < blockBytes) return "The archive ends too early.";
  for (let from = at; from < archive.length; from += blockBytes) {
    const block = archive.subarray(from, from + blockBytes);
    if (!block.equals(zeros.subarray(0, block.length)))
      return "Something follows the end of the archive.";
  }
  return undefined;
}

function readHeader(header: Buffer): { name: string; size: number } | string {
  if (header.toString("latin1", 257, 265) !== "ustar\u000000")
    return "It is no tar archive (ustar).";
  if (octalAt(header, 148, 8) !== checksumOf(header))
    return "The checksum of a file's header is wrong.";
  if (!plain.has(header[156] ?? -1)) return "It has something that is no plain file.";
  const size = octalAt(header, 124, 12);
  if (size === undefined) return "The size of a file is no octal number.";
  const prefix = textAt(header, 345, 155);
  const name = `${prefix === "" ? "" : `${prefix}/`}${textAt(header, 0, 100)}`;
  if (name === "" || name.endsWith("/")) return "It has something that is no plain file.";
  if (!/^[ -~]*$/.test(name)) return "A name of a file has other characters than those of ASCII.";
  if (name.startsWith("/") || name.split("/").includes(".."))
    return `${JSON.stringify(name)} leads out of the archive.`;
  return { name, size };
}

/** The digits stand between spaces and zero bytes. */
function octalAt(header: Buffer, at: number, length: number): number | undefined {
  const text = header.toString("latin1", at, at + length);
  const [, digits] = /^[ \0]*([0-7]+)[ \0]*$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** The sum of all bytes, where its own field counts as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}

/** Up to the first zero byte. */
function textAt(header: Buffer, at: number, length: number): string {
  const [text = ""] = header.toString("latin1", at, at + length).split("\0", 1);
  return text;
}
