// Which files of a folder are sent to the Engine for a build.
import { constants } from "node:fs";
import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../../model/errors.ts";

/**
 * Every file, link and empty folder, relative to `contextDir`, for dockerode's `src`; dockerode then leaves out what
 * `.dockerignore` names. Two traps make the list what it is. Naming a folder (`src: ["."]`) would match `.dockerignore`
 * against absolute paths, so that a `*` excludes everything whatever `!` says: hence files one by one. And the Engine needs
 * the Dockerfile and `.dockerignore` even where they are ignored (it then hides them from `COPY` itself): the leading `./`
 * keeps them out of the reach of every pattern but those with `**`.
 */
export async function contextEntries(contextDir: string, dockerfile: string): Promise<string[]> {
  const alwaysSent = new Set([dockerfile, ".dockerignore"]);
  const entries: string[] = [];
  await walk(contextDir, "", entries);
  return entries.map((path) => (alwaysSent.has(path) ? `./${path}` : path));
}

async function walk(contextDir: string, folder: string, entries: string[]): Promise<void> {
  const children = await readdir(join(contextDir, folder), { withFileTypes: true }).catch((cause) => {
    throw unreadable(join(contextDir, folder), cause);
  });
  if (children.length === 0 && folder !== "") entries.push(folder);
  for (const child of children) {
    const path = folder === "" ? child.name : `${folder}/${child.name}`;
    if (child.isDirectory()) {
      await walk(contextDir, path, entries);
    } else if (child.isFile()) {
      // Checked now: no caller could catch a read error in the middle of the upload.
      await access(join(contextDir, path), constants.R_OK).catch((cause) => {
        throw unreadable(join(contextDir, path), cause);
      });
      entries.push(path);
    } else if (child.isSymbolicLink()) {
      entries.push(path);
    }
    // Sockets, pipes and devices have no place in an image, and the archive library fails on some of them.
  }
}

function unreadable(path: string, cause: unknown): SettError {
  return new SettError("build-failed", `The build context cannot be read at ${path}.`, {
    hint: "Check its permissions.",
    cause,
  });
}
