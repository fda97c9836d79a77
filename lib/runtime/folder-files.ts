// The plain files of a folder: a volume of processes is one, and a pod sees its claim as one.
import { type FileHandle, mkdir, open, readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { SettError } from "../model/errors.ts";
import type { VolumeFile } from "./port.ts";

export async function* readFolder(folder: string): AsyncGenerator<VolumeFile> {
  for await (const file of filesBelow(folder)) {
    // A file may go meanwhile, such as one that is about to be renamed.
    await using handle = await open(file).catch(unlessMissing);
    if (handle === undefined) continue;
    const { size } = await handle.stat();
    yield { path: relative(folder, file), size, content: contentOf(handle, size) };
  }
}

/** Each folder is listed when what comes before it was read. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

const pieceBytes = 256 * 1024;

/** As much as the file had: it may grow. */
async function* contentOf(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const piece = new Uint8Array(Math.min(pieceBytes, size - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Each file is for its owner alone, and on disk. */
export async function writeFolder(
  folder: string,
  files: AsyncIterable<VolumeFile>,
  signal: AbortSignal,
): Promise<void> {
  for await (const { path, content } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await using handle = await open(file, "w", 0o600);
    for await (const chunk of content) {
      if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
      await handle.writeFile(chunk);
    }
    await handle.sync();
  }
}
