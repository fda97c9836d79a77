// Output that a program writes at once, and a client may take slowly, waits in a file and not in
// memory.
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

const partBytes = 256 * 1024;

/**
 * `write` gives each part to its argument. The file has no name from the beginning, so that nothing
 * is left of it when the stream has ended, was given up, or this process was killed. Throws what
 * `write` throws.
 */
export async function throughFile(
  folder: string,
  write: (onPart: (part: Uint8Array) => void) => Promise<void>,
): Promise<ReadableStream<Uint8Array>> {
  const path = join(folder, `results-${randomUUID()}`);
  const file = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  try {
    await write((part) => {
      for (let rest = part; rest.length > 0; ) rest = rest.subarray(writeSync(file, rest));
    });
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return readFile(file);
}

/**
 * A function of its own: one that is made within the other would keep what that was called with,
 * and so all that was written, for as long as the stream is read.
 */
function readFile(file: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = new Uint8Array(partBytes);
      const bytes = readSync(file, part, 0, part.length, at);
      at += bytes;
      if (bytes > 0) return controller.enqueue(part.subarray(0, bytes));
      closeSync(file);
      controller.close();
    },
    cancel: () => closeSync(file),
  });
}
