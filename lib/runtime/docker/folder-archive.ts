// A tar archive with one entry: an empty folder and its owner.
import { Buffer } from "node:buffer";
import type { Owner } from "../container-spec.ts";

const blockBytes = 512;
const mode = 0o755;

export function folderArchive(name: string, owner: Owner): Buffer {
  const header = Buffer.alloc(blockBytes);
  header.write(`${name}/`, 0);
  writeNumber(header, mode, 100);
  writeNumber(header, owner.uid, 108);
  writeNumber(header, owner.gid, 116);
  header.write("00000000000", 124); // size
  header.write("00000000000", 136); // time of change
  header.write("5", 156); // a folder
  header.write("ustar\u000000", 257);
  // The checksum is computed with spaces in its own place.
  header.write("        ", 148);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  // Two empty blocks end an archive.
  return Buffer.concat([header, Buffer.alloc(2 * blockBytes)]);
}

const maxOctal = 0o7777777;

/** Seven octal digits; ids beyond them (directory services give such) in the binary form that a set first bit announces. */
function writeNumber(header: Buffer, value: number, at: number): void {
  if (value <= maxOctal) {
    header.write(value.toString(8).padStart(7, "0"), at);
    return;
  }
  header[at] = 0x80;
  header.writeUInt32BE(value, at + 4);
}
