// Bundles as archives, also such as `sett audit export` never writes.
import { Buffer } from "node:buffer";
import { type BundleFiles, readArchive } from "../../../lib/proof/archive.ts";
import type { Bytes } from "../../../lib/proof/bundle-file.ts";
import { archiveEnd, paddingOf, writeHeader } from "../../../lib/runtime/tar.ts";

export const end = Buffer.from(archiveEnd);

/** `change`: of the header, before its checksum is computed. */
export function member(
  name: string,
  content: Uint8Array | string,
  change: (header: Buffer) => void = () => {},
): Buffer {
  const bytes = Buffer.from(content);
  const owner = { uid: 0, gid: 0 };
  const header = writeHeader({ name: "x", kind: "0", size: bytes.length, mode: 0o644, owner });
  header.fill(0, 0, 100);
  header.write(name);
  change(header);
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc(paddingOf(bytes.length))]);
}

export function pack(files: ReadonlyMap<string, Uint8Array>): Buffer {
  return Buffer.concat([...[...files].map(([name, bytes]) => member(name, bytes)), end]);
}

/** To be read piece by piece, as a file is. */
export function inMemory(archive: Uint8Array): Bytes {
  return {
    size: archive.length,
    read: async (into, at) => into.set(archive.subarray(at, at + into.length)),
  };
}

/** Files that need not be in an archive of theirs. */
export async function asBundle(files: ReadonlyMap<string, Uint8Array>): Promise<BundleFiles> {
  const found = await readArchive(inMemory(pack(files)));
  if (typeof found === "string") throw new Error(found);
  return found;
}
