// What is in a folder, by names that reach it: the name of a file is any bytes, and one that is no UTF-8 is another name once it is decoded.
import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";

export type Path = string | Buffer;

/** `special`: a pipe, a socket or a device. */
export type EntryKind = "folder" | "file" | "link" | "special";

export type FolderEntry = { name: Path; path: Path; kind: EntryKind };

/** What a decoder puts in place of bytes that are no UTF-8. */
const undecodable = "\ufffd";

/** What goes meanwhile is left out. */
export async function entriesOf(folder: Path): Promise<FolderEntry[]> {
  const found = await readdir(folder, { withFileTypes: true });
  const entries = found.flatMap((each) => entryOf(folder, each) ?? []);
  return entries.length === found.length ? entries : await entriesByBytes(folder);
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

/** Undefined where the name or the kind is not certain: some file systems do not tell the kind. */
function entryOf(folder: Path, entry: Dirent): FolderEntry | undefined {
  const { name } = entry;
  const kind = kindOf(entry);
  if (kind === undefined || name.includes(undecodable)) return undefined;
  return { name, path: pathIn(folder, name), kind };
}

async function entriesByBytes(folder: Path): Promise<FolderEntry[]> {
  const names = await readdir(folder, { encoding: "buffer" });
  const entries = names.map(async (name): Promise<FolderEntry[]> => {
    const path = pathIn(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    return stats === undefined ? [] : [{ name, path, kind: kindOf(stats) ?? "special" }];
  });
  return (await Promise.all(entries)).flat();
}

function kindOf(entry: Dirent | Stats): EntryKind | undefined {
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  if (entry.isSymbolicLink()) return "link";
  return entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice() ? "special" : undefined;
}

function bytesOf(path: Path): Buffer {
  return typeof path === "string" ? Buffer.from(path) : path;
}
