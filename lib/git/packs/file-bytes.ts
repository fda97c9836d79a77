// Writes and reads whole files, piece by piece.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";

const chunkBytes = 1024 ** 2;

/** `at`: the place in the file. */
export async function writeAll(file: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length; )
    done += (await file.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
}

/** The SHA-256 of the content, in hexadecimal digits. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }))
    hash.update(chunk);
  return hash.digest("hex");
}
