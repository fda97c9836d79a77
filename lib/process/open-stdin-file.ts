// A command's stdin: an unlinked file rather than a pipe.
//
// Bun and Node make "pipes" out of sockets, and Linux refuses to open a socket through /dev/stdin ("No such device or address"), which
// breaks tools as common as `jq . /dev/stdin`. A file also cannot deadlock, cannot raise EPIPE when the tool does not read it, and
// keeps no 20 MB waiting in this process. As the file has no name once it is open, the system removes it after its last reader.
import { randomUUID } from "node:crypto";
import { type FileHandle, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Memory before disk: in every container a process may write up to 64 MiB there. */
const defaultFolders: readonly string[] = ["/dev/shm", tmpdir()];

/**
 * `content` as an open, nameless file at its beginning, for the caller to close; undefined where no folder accepts it, as in a read-only
 * container without a `/tmp`.
 */
export async function openStdinFile(content: string | Uint8Array, folders = defaultFolders): Promise<FileHandle | undefined> {
  for (const folder of folders) {
    const path = join(folder, `sett-stdin-${randomUUID()}`);
    try {
      await writeFile(path, content, { flag: "wx", mode: 0o400 });
      return await open(path, "r");
    } catch {
      // Full, missing or read-only: the next folder is tried, and without any the caller uses a pipe.
    } finally {
      await rm(path, { force: true }).catch(() => {});
    }
  }
  return undefined;
}
