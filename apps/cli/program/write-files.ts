// Writes several new files, all of them or none.
import { chmod, lstat, mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { messageOf, SettError } from "../../../lib/model/errors.ts";

export type NewFile = { path: string; content: string; mode: number };

/** Those of the files that are there already, in whatever form. */
export async function existing(folder: string, files: readonly NewFile[]): Promise<string[]> {
  const found = await Promise.all(
    files.map(async ({ path }) => {
      const stats = await lstat(join(folder, path)).catch(() => undefined);
      return stats === undefined ? [] : [path];
    }),
  );
  return found.flat();
}

/** What is there is replaced. Every file is first written beside its place; what was made is taken away again when one cannot be. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const folders: string[] = [];
  const drafts: { draft: string; place: string }[] = [];
  try {
    for (const { path, content, mode } of files) {
      const place = join(folder, path);
      folders.push(...(await makeFolders(dirname(place))));
      const draft = `${place}.new-${process.pid}`;
      drafts.push({ draft, place });
      await writeFile(draft, content, { flag: "wx" });
      await chmod(draft, mode);
    }
    // A folder in the place of a file would stop the renaming half-way.
    for (const { place } of drafts) {
      const stats = await lstat(place).catch(() => undefined);
      if (stats?.isDirectory() === true) throw new Error(`${place} is a folder`);
    }
    for (const { draft, place } of drafts) await rename(draft, place);
  } catch (cause) {
    for (const { draft } of drafts) await rm(draft, { force: true });
    for (const made of folders.toReversed()) await rmdir(made).catch(() => undefined);
    throw new SettError("command-failed", `The files cannot be written: ${messageOf(cause)}.`, {
      hint: "Nothing was changed. Do you have the right to write into this folder?",
      cause,
    });
  }
}

/** The folders that had to be made, outermost first. */
async function makeFolders(path: string): Promise<string[]> {
  const outermost = await mkdir(path, { recursive: true });
  if (outermost === undefined) return [];
  const made: string[] = [];
  for (let each = path; each.length >= outermost.length; each = dirname(each)) made.unshift(each);
  return made;
}
