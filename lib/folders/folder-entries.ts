// Lists what is in a folder, by names that reach it: the name of a file is any bytes, and one that
// is no UTF-8 is another name once it is decoded.
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { type EntryKind, openListing } from "./list-folder.ts";

export type Path = string | Buffer;

export type FolderEntry = { name: Path; path: Path; kind: EntryKind };

/** The character that a decoder puts in place of bytes that are no UTF-8. */
const undecodable = "\ufffd";

/** Piece by piece: what comes or goes meanwhile may be left out. */
export async function* entriesOf(folder: Path): AsyncGenerator<FolderEntry> {
  await using listing = await openListing(folder);
  for await (const piece of listing.pieces()) {
    for (const listed of piece) {
      const name = textOf(listed.name) ?? listed.name;
      const path = pathIn(folder, name);
      const kind = listed.kind ?? kindOf(await lstat(path).catch(() => undefined));
      if (kind !== undefined) yield { name, path, kind };
    }
  }
}

function textOf(name: Buffer): string | undefined {
  const text = name.toString("utf8");
  return text.includes(undecodable) ? undefined : text;
}

export function pathIn(folder: Path, name: Path): Path {
  if (typeof folder === "string" && typeof name === "string") return `${folder}/${name}`;
  return Buffer.concat([bytesOf(folder), bytesOf("/"), bytesOf(name)]);
}

/** `path`: in latin1, one character for each byte. */
export function pathOfBytes(folder: Path, path: string): Path {
  return pathIn(folder, isAscii(path) ? path : Buffer.from(path, "latin1"));
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

function kindOf(stats: Stats | undefined): EntryKind | undefined {
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return "folder";
  if (stats.isFile()) return "file";
  return stats.isSymbolicLink() ? "link" : "special";
}

function bytesOf(path: Path): Buffer {
  return typeof path === "string" ? Buffer.from(path) : path;
}
