// The checksum at the end of a pack, by which git checks all bytes before it.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

const chunkBytes = 1024 * 1024;

/** It is as long as the name of a commit, which begins the name of the pack's file. */
export function digestBytes(name: string): number {
  return name.length < 64 ? 20 : 32;
}

/** The checksum as the file has it, in hexadecimal digits. */
export async function statedDigest(
  file: FileHandle,
  size: number,
  length: number,
): Promise<string> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString("hex");
}

/** The checksum where it fits the bytes before it, so that the pack is whole; else undefined. */
export async function checkedDigest(
  file: FileHandle,
  size: number,
  length: number,
): Promise<string | undefined> {
  if (size <= length) return undefined;
  const hash = createHash(length === 20 ? "sha1" : "sha256");
  for await (const { chunk, at } of chunksOf(file, size - length)) {
    if (at === 0 && chunk.toString("latin1", 0, 4) !== "PACK") return undefined;
    hash.update(chunk);
  }
  const digest = hash.digest("hex");
  return digest === (await statedDigest(file, size, length)) ? digest : undefined;
}

/** The first bytes of a file, piece by piece; fewer where it ends before. */
export async function* chunksOf(
  file: FileHandle,
  bytes: number,
): AsyncGenerator<{ chunk: Buffer; at: number }> {
  for (let at = 0; at < bytes; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(chunkBytes, bytes - at)), {
      position: at,
    });
    if (bytesRead === 0) return;
    yield { chunk: buffer.subarray(0, bytesRead), at };
    at += bytesRead;
  }
}
