// The files of a bundle in its archive, as docs/reference/proof.md#bundles says. It is stricter
// than lib/runtime/tar.ts: what another reader could take for something else is refused. Pure.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { BundleFile, type Bytes, pieceBytes } from "./bundle-file.ts";
import { readCount } from "./formats.ts";

/** By their names in the bundle. */
export type BundleFiles = ReadonlyMap<string, BundleFile>;

/** The numbers that name folders in this one, the smallest first. */
export function sizesBelow(files: BundleFiles, folder: string): number[] {
  const sizes = new Set<number>();
  for (const name of files.keys()) {
    const [first, size = ""] = name.split("/", 2);
    const count = first === folder ? readCount(size) : undefined;
    if (count !== undefined && name.length > `${first}/${size}`.length) sizes.add(count);
  }
  return [...sizes].toSorted((one, other) => one - other);
}

/** 2 GiB. */
export const maxArchiveBytes = 2 * 1024 ** 3;
export const tooLarge = "It has more than 2 GiB.";

const tooEarly = "The archive ends too early.";
const blockBytes = 512;
const zeros = Buffer.alloc(blockBytes);
const plain = new Set([0, "0".charCodeAt(0)]);

/**
 * A sentence in its place says why it is no bundle. The archive is read once; of artefacts and
 * facts only the digests are kept.
 */
export async function readArchive(archive: Bytes): Promise<BundleFiles | string> {
  if (archive.size > maxArchiveBytes) return tooLarge;
  const files = new Map<string, BundleFile>();
  const blocks = new Blocks(archive);
  let at = 0;
  for (;;) {
    if (at + blockBytes > archive.size) return tooEarly;
    const header = await blocks.at(at, blockBytes);
    at += blockBytes;
    if (header.equals(zeros)) return (await endsAt(blocks, at)) ?? files;
    const read = readHeader(header);
    if (typeof read === "string") return read;
    const { name, size } = read;
    if (files.has(name)) return `${JSON.stringify(name)} is there twice.`;
    const next = at + Math.ceil(size / blockBytes) * blockBytes;
    if (next > archive.size) return tooEarly;
    const isContent = name.startsWith("artefacts/") || name.startsWith("facts/");
    const sha256 = isContent ? await digestAt(blocks, at, size) : undefined;
    files.set(name, new BundleFile(archive, { at, size, sha256 }));
    at = next;
  }
}

/** Reads ahead, so that small files behind each other are not read one by one. */
class Blocks {
  readonly archive: Bytes;
  readonly #buffer = Buffer.alloc(pieceBytes);
  #from = 0;
  #length = 0;

  constructor(archive: Bytes) {
    this.archive = archive;
  }

  /** At most a piece, which stays as it is until the next call. They are within the archive. */
  async at(at: number, length: number): Promise<Buffer> {
    if (at < this.#from || at + length > this.#from + this.#length) {
      this.#from = at;
      this.#length = Math.min(this.#buffer.length, this.archive.size - at);
      await this.archive.read(this.#buffer.subarray(0, this.#length), at);
    }
    return this.#buffer.subarray(at - this.#from, at - this.#from + length);
  }
}

async function digestAt(blocks: Blocks, at: number, size: number): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < size; from += pieceBytes)
    hash.update(await blocks.at(at + from, Math.min(pieceBytes, size - from)));
  return hash.digest("hex");
}

/** Undefined where it ends as it must: one more block of zeros or several, and nothing else. */
async function endsAt(blocks: Blocks, at: number): Promise<string | undefined> {
  const { size } = blocks.archive;
  if (size - at < blockBytes) return tooEarly;
  for (let from = at; from < size; from += blockBytes) {
    const block = await blocks.at(from, Math.min(blockBytes, size - from));
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
  let [from, to] = [at, at + length];
  while (from < to && isBlank(header[from])) from += 1;
  while (from < to && isBlank(header[to - 1])) to -= 1;
  let value = from < to ? 0 : undefined;
  for (; value !== undefined && from < to; from++) {
    const digit = (header[from] ?? 0) - 0x30;
    value = digit >= 0 && digit < 8 ? value * 8 + digit : undefined;
  }
  return value;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0;
}

/** The sum of all bytes, where its own field counts as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at++) if (at < 148 || at >= 156) sum += header[at] ?? 0;
  return sum;
}

/** Up to the first zero byte. */
function textAt(header: Buffer, at: number, length: number): string {
  const [text = ""] = header.toString("latin1", at, at + length).split("\0", 1);
  return text;
}
