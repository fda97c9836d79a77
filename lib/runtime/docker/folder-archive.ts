// A tar archive of empty folders: one with its owner, and that what is made in it has no access
// control list.
import { Buffer } from "node:buffer";
import type { Owner } from "../container-spec.ts";
import { archiveEnd, blockBytes, writeHeader } from "../tar.ts";

const mode = 0o755;

/** To set an empty list is to remove the one that is there. */
const emptyList = "SCHILY.xattr.system.posix_acl_default=\u0002\u0000\u0000\u0000\n";

/**
 * `hasList`: false for a file system that has no such lists. `inner`: folders within it, of the
 * same owner.
 */
export function folderArchive(
  name: string,
  owner: Owner,
  hasList: boolean,
  inner: readonly string[] = [],
): Buffer {
  const record = withLength(emptyList);
  const list = [
    writeHeader({ name, kind: "x", size: record.length, mode, owner }),
    Buffer.concat([Buffer.from(record), Buffer.alloc(blockBytes - record.length)]),
  ];
  return Buffer.concat([
    ...(hasList ? list : []),
    ...[name, ...inner.map((each) => `${name}/${each}`)].map((path) =>
      writeHeader({ name: `${path}/`, kind: "5", size: 0, mode, owner }),
    ),
    archiveEnd,
  ]);
}

/** The length of a record, which it begins with, counts its own digits and the space. */
function withLength(record: string): string {
  return `${record.length + 3} ${record}`;
}
