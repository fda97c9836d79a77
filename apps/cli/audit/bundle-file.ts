// A bundle as a file: a tar archive in which the same content gives the same bytes.
import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import {
  type BundleFiles,
  maxArchiveBytes,
  readArchive,
  tooLarge,
} from "../../../lib/proof/archive.ts";
import { archiveEnd, paddingOf, writeHeader } from "../../../lib/runtime/tar.ts";

/** Never overwrites a file. Throws `output-failed`. */
export async function writeBundle(path: string, files: BundleFiles): Promise<void> {
  const owner = { uid: 0, gid: 0 };
  const parts = [...files].flatMap(([name, bytes]) => [
    writeHeader({ name, kind: "0", size: bytes.length, mode: 0o644, owner }),
    bytes,
    new Uint8Array(paddingOf(bytes.length)),
  ]);
  try {
    await writeFile(path, Buffer.concat([...parts, archiveEnd]), { flag: "wx" });
  } catch (cause) {
    throw new SettError("output-failed", `${path} cannot be written: ${messageOf(cause)}.`, {
      hint: "Name another file: --to FILE",
      cause,
    });
  }
}

/** Or why it is no bundle, as a sentence. Throws `usage` where the file cannot be read. */
export async function readBundle(path: string): Promise<BundleFiles | string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      bytes += chunk.length;
      if (bytes > maxArchiveBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new SettError("usage", `${path} cannot be read: ${messageOf(cause)}.`, {
      hint: "Name a file that `sett audit export` has written.",
      cause,
    });
  }
  return bytes > maxArchiveBytes ? tooLarge : readArchive(Buffer.concat(chunks));
}
