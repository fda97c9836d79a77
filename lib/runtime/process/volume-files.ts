// The files of a volume, which is a folder here.
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { SettError } from "../../model/errors.ts";
import type { VolumeFile } from "../port.ts";
import type { Registry } from "./registry.ts";

export async function* readFiles(registry: Registry, volume: string): AsyncGenerator<VolumeFile> {
  const folder = registry.volumeFolder(volume);
  for await (const file of filesBelow(folder)) {
    // A file may go meanwhile, such as one that is about to be renamed.
    const size = (await stat(file).catch(() => undefined))?.size;
    if (size === undefined) continue;
    yield { path: relative(folder, file), size, content: contentOf(file, size) };
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

/** As much as the file had: it may grow. */
async function* contentOf(file: string, size: number): AsyncGenerator<Uint8Array> {
  if (size > 0) yield* createReadStream(file, { end: size - 1 });
}

export async function writeFiles(
  registry: Registry,
  volume: string,
  files: AsyncIterable<VolumeFile>,
  signal: AbortSignal,
): Promise<void> {
  const folder = registry.volumeFolder(volume);
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
