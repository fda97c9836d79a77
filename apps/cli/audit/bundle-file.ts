// A bundle as a file: a tar archive in which the same content gives the same bytes.
import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { BundleFiles } from "../../../lib/proof/verify.ts";
import { archiveEnd, paddingOf, readTar, writeHeader } from "../../../lib/runtime/tar.ts";

/** 2 GiB: all of it is read into memory. */
const maxBytes = 2 * 1024 ** 3;

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

/** Or why it is no bundle, as a sentence. Throws `usage` where the file cannot be opened. */
export async function readBundle(path: string): Promise<BundleFiles | string> {
  const files = new Map<string, Uint8Array>();
  let room = maxBytes;
  try {
    for await (const { name, kind, size, content } of readTar(createReadStream(path))) {
      if (kind !== "0") return `${JSON.stringify(name)} is no plain file.`;
      if (files.has(name)) return `${JSON.stringify(name)} is there twice.`;
      if (name.startsWith("/") || name.split("/").includes(".."))
        return `${JSON.stringify(name)} leads out of the archive.`;
      room -= size;
      if (room < 0) return `It has more than ${maxBytes} bytes.`;
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      files.set(name, Buffer.concat(chunks));
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && "path" in error)
      throw new SettError("usage", `${path} cannot be read: ${messageOf(error)}.`, {
        hint: "Name a file that `sett audit export` has written.",
      });
    return `It is no tar archive, or a part of one: ${messageOf(error)}`;
  }
  return files;
}
