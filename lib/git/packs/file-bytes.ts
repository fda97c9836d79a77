// Writes and reads whole files, piece by piece, with the SHA-256 of what is in them.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";

const chunkBytes = 1024 ** 2;

/**
 * Writes what comes, and hashes one piece while the one before it is written. It ends with the
 * piece by which there are more bytes than `maxBytes`.
 */
export async function writeHashed(
  file: FileHandle,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  let writing: Promise<unknown> = Promise.resolve();
  try {
    for await (const chunk of body) {
      await writing;
      writing = writeAll(file, chunk, bytes);
      // It is seen with the next piece.
      writing.catch(() => undefined);
      bytes += chunk.length;
      if (bytes > maxBytes) break;
      hash.update(chunk);
    }
  } finally {
    // The file is closed next, whatever has ended this.
    await writing;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** `at`: the place in the file. */
async function writeAll(file: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
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
