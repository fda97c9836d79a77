// Lists what is in a folder, piece by piece: a command may leave more names than its container has
// memory for, and `readdir` reads all at once. No node: API does so.
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import process from "node:process";

/** `special`: a pipe, a socket or a device. */
export type EntryKind = "folder" | "file" | "link" | "special";

/** Some file systems do not tell the kind. */
type Listed = { name: Buffer; kind: EntryKind | undefined };

export interface Listing extends AsyncDisposable {
  /** Each with the names of some kilobytes. What comes or goes meanwhile may be in them. */
  pieces(): AsyncIterable<Listed[]> | Iterable<Listed[]>;
}

const pieceBytes = 32 * 1024;
/**
 * The places in an entry, as Linux has it, of its length, its kind, and its name, which ends in a
 * zero.
 */
const [lengthAt, kindAt, nameAt] = [16, 18, 19];
const kinds = new Map<number, EntryKind>([
  [4, "folder"],
  [8, "file"],
  [10, "link"],
  ...[1, 2, 6, 12].map((special) => [special, "special"] as const),
]);

type Read = (fd: number, buffer: Buffer) => number;

let reader: Promise<Read | undefined> | undefined;

/** There is one piece where libc cannot be reached. Throws as `readdir` does. */
export async function openListing(folder: string | Buffer): Promise<Listing> {
  reader ??=
    process.platform === "linux" && "bun" in process.versions
      ? bunReader()
      : Promise.resolve(undefined);
  const read = await reader;
  if (read === undefined) {
    const names = await readdir(folder, { encoding: "buffer" });
    return {
      pieces: () => [names.map((name) => ({ name, kind: undefined }))],
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const file = await open(folder as string, constants.O_RDONLY | constants.O_DIRECTORY);
  return { pieces: () => piecesOf(file.fd, read), [Symbol.asyncDispose]: () => file.close() };
}

async function bunReader(): Promise<Read | undefined> {
  try {
    const { dlopen, FFIType } = await import("bun:ffi");
    const { i32, i64, ptr, u64 } = FFIType;
    const { symbols } = dlopen("libc.so.6", {
      getdents64: { args: [i32, ptr, u64], returns: i64 },
    });
    return (fd, buffer) => Number(symbols.getdents64(fd, buffer, BigInt(buffer.length)));
  } catch {
    return undefined;
  }
}

function* piecesOf(fd: number, read: Read): Generator<Listed[]> {
  const buffer = Buffer.alloc(pieceBytes);
  for (let bytes = read(fd, buffer); bytes > 0; bytes = read(fd, buffer))
    yield [...entriesIn(buffer.subarray(0, bytes))];
}

function* entriesIn(piece: Buffer): Generator<Listed> {
  for (let at = 0; at < piece.length; at += piece.readUInt16LE(at + lengthAt)) {
    const name = Buffer.from(piece.subarray(at + nameAt, piece.indexOf(0, at + nameAt)));
    const isItself = name.equals(dot) || name.equals(dots);
    if (!isItself) yield { name, kind: kinds.get(piece[at + kindAt] ?? 0) };
  }
}

const [dot, dots] = [Buffer.from("."), Buffer.from("..")];
