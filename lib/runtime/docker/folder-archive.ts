// A tar archive of empty folders: one with its owner, and that what is made in it has no access
// control list.
import { Buffer } from "node:buffer";
import type { Owner } from "../container-spec.ts";

const blockBytes = 512;
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
    entry(name, "x", owner, record.length),
    Buffer.concat([Buffer.from(record), Buffer.alloc(blockBytes - record.length)]),
  ];
  // Two empty blocks end an archive.
  return Buffer.concat([
    ...(hasList ? list : []),
    ...[name, ...inner.map((each) => `${name}/${each}`)].map((path) =>
      entry(`${path}/`, "5", owner, 0),
    ),
    Buffer.alloc(2 * blockBytes),
  ]);
}

/** The length of a record, which it begins with, counts its own digits and the space. */
function withLength(record: string): string {
  return `${record.length + 3} ${record}`;
}

/** `kind`: 5 for a folder, x for records about the entry after it. */
function entry(name: string, kind: "5" | "x", owner: Owner, size: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0);
  writeNumber(header, mode, 100);
  writeNumber(header, owner.uid, 108);
  writeNumber(header, owner.gid, 116);
  header.write(size.toString(8).padStart(11, "0"), 124);
  header.write("00000000000", 136); // time of change
  header.write(kind, 156);
  header.write("ustar\u000000", 257);
  // The checksum is computed with spaces in its own place.
  header.write("        ", 148);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

const maxOctal = 0o7777777;

/**
 * Seven octal digits; ids beyond them (directory services give such) in the binary form that a set
 * first bit announces.
 */
function writeNumber(header: Buffer, value: number, at: number): void {
  if (value <= maxOctal) {
    header.write(value.toString(8).padStart(7, "0"), at);
    return;
  }
  header[at] = 0x80;
  header.writeUInt32BE(value, at + 4);
}
