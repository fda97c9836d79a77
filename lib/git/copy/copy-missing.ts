// Copies what a folder has not, from one that nothing can change meanwhile. What is there already
// stays as it is, also where it is of another kind.
import type { Stats } from "node:fs";
import { constants, copyFile, lstat, mkdir, readlink, symlink } from "node:fs/promises";
import { entriesOf, type Path, pathIn } from "../../folders/folder-entries.ts";

/** Links are copied as they are. Pipes, sockets and devices are left out. */
export async function copyMissing(from: Path, to: Path): Promise<void> {
  for await (const { name, path, kind } of entriesOf(from)) {
    const target = pathIn(to, name);
    const there: Stats | undefined = await lstat(target).catch(() => undefined);
    if (kind === "folder") {
      if (there === undefined) await mkdir(target);
      if (there === undefined || there.isDirectory()) await copyMissing(path, target);
    } else if (there === undefined) {
      if (kind === "link") await symlink(await readlink(path as string), target);
      else if (kind === "file")
        await copyFile(path as string, target as string, constants.COPYFILE_FICLONE);
    }
  }
}
