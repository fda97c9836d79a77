// Writes several files: all of them or none.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { clauseOf, SettError } from "../../../lib/model/errors.ts";

export type NewFile = { path: string; content: string; mode: number };

/** The paths at which something exists already: a file, a folder or a link. */
export async function existing(folder: string, files: readonly NewFile[]): Promise<string[]> {
  const found = await Promise.all(
    files.map(async ({ path }) => {
      const stats = await lstat(join(folder, path)).catch(() => undefined);
      return stats === undefined ? [] : [path];
    }),
  );
  return found.flat();
}

/**
 * Replaces files that exist. Writes every file beside its place first, and removes what it has made
 * if one of them fails. It waits for nothing, so that no signal ends the program in its midst.
 * Throws `command-failed`.
 */
export function writeFiles(folder: string, files: readonly NewFile[]): void {
  const folders: string[] = [];
  const drafts: { draft: string; place: string }[] = [];
  try {
    for (const { path, content, mode } of files) {
      const place = join(folder, path);
      folders.push(...makeFolders(dirname(place)));
      const draft = `${place}.new-${process.pid}`;
      drafts.push({ draft, place });
      writeFileSync(draft, content, { flag: "wx" });
      chmodSync(draft, mode);
    }
    // A folder in the place of a file would stop the renaming before its end.
    for (const { place } of drafts)
      if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true)
        throw new Error(`${place} is a folder`);
    for (const { draft, place } of drafts) renameSync(draft, place);
  } catch (cause) {
    for (const { draft } of drafts) rmSync(draft, { force: true });
    for (const made of folders.toReversed()) removeEmpty(made);
    throw new SettError("command-failed", `The files cannot be written: ${clauseOf(cause)}.`, {
      hint: "No file was changed. Are you allowed to write into this folder?",
      cause,
    });
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another program has put something there meanwhile.
  }
}

/** The folders that did not exist before, outermost first. */
function makeFolders(path: string): string[] {
  const outermost = mkdirSync(path, { recursive: true });
  if (outermost === undefined) return [];
  const made: string[] = [];
  for (let each = path; each.length >= outermost.length; each = dirname(each)) made.unshift(each);
  return made;
}
