// Finds the repository of a folder. It does so without git, because every command needs it.
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * The nearest folder from `cwd` upwards with a `.git`, or that is a bare repository; undefined
 * outside of a repository. Resolves links, as git does.
 */
export async function workspaceRoot(cwd: string): Promise<string | undefined> {
  let folder = await realpath(cwd);
  for (;;) {
    // `.git` is a file in a linked worktree or a submodule.
    if ((await exists(join(folder, ".git"))) || (await isBare(folder))) return folder;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
}

/** Whether the folder is a bare repository itself; git's own of one with files is none. */
export async function isBare(folder: string): Promise<boolean> {
  const parts = ["HEAD", "objects", "refs"].map((name) => exists(join(folder, name)));
  if (!(await Promise.all(parts)).every(Boolean)) return false;
  const config = await readFile(join(folder, "config"), "utf8").catch(() => "");
  return /^\s*bare\s*=\s*(?:true|yes|on|1)\s*$/im.test(config);
}

/** Whether its `.git` is a file that names a bare repository: it has no files of its own. */
export async function namesBare(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, ".git"), "utf8").catch(() => "");
  const [, path] = /^gitdir: (.*)$/m.exec(text) ?? [];
  return path !== undefined && (await isBare(resolve(folder, path)));
}

export async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
