// A command's stdin: an unlinked file rather than a pipe.
//
// Bun and Node make "pipes" out of sockets, and Linux refuses to open a socket through /dev/stdin
// ("No such device or address"), which breaks tools as common as `jq . /dev/stdin`. A file also
// cannot deadlock, cannot raise EPIPE when the tool does not read it, and keeps no 20 MB waiting in
// this process. As the file has no name once it is open, the system removes it after its last
// reader.
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Memory before disk: in every container a process may write up to 64 MiB there. */
const defaultFolders: readonly string[] = ["/dev/shm", tmpdir()];

/**
 * A content of so many bytes is written at once: to hand four calls to other threads takes longer
 * than they do.
 */
const smallBytes = 64 * 1024;

export type StdinFile = { fd: number; close: () => Promise<void> };

/**
 * `content` as an open, nameless file at its beginning, for the caller to close; undefined where no
 * folder accepts it, as in a read-only container without a `/tmp`.
 */
export async function openStdinFile(
  content: string | Uint8Array,
  folders = defaultFolders,
): Promise<StdinFile | undefined> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (const folder of folders) {
    const path = join(folder, `sett-stdin-${randomUUID()}`);
    if (bytes.byteLength <= smallBytes) {
      const fd = openSmall(path, bytes);
      if (fd !== undefined) return { fd, close: async () => closeSync(fd) };
      continue;
    }
    try {
      await writeFile(path, bytes, { flag: "wx", mode: 0o400 });
      const file = await open(path, "r");
      return { fd: file.fd, close: () => file.close() };
    } catch {
      // Full, missing or read-only: the next folder is tried, and without any the caller uses a
      // pipe.
    } finally {
      await rm(path, { force: true }).catch(() => {});
    }
  }
  return undefined;
}

function openSmall(path: string, bytes: Uint8Array): number | undefined {
  let written: number | undefined;
  try {
    written = openSync(path, "wx", 0o400);
    for (let from = 0; from < bytes.byteLength; ) from += writeSync(written, bytes, from);
    return openSync(path, "r");
  } catch {
    // As above.
    return undefined;
  } finally {
    if (written !== undefined) {
      closeSync(written);
      unlinkSync(path);
    }
  }
}
