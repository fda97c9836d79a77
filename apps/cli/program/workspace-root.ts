// Finds the repository of a folder. It does so without git, because every command needs it.
import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * The nearest folder from `cwd` upwards with a `.git`; undefined outside of a repository. Resolves
 * links, as git does.
 */
export async function workspaceRoot(cwd: string): Promise<string | undefined> {
  let folder = await realpath(cwd);
  for (;;) {
    // `.git` is a file in a linked worktree or a submodule.
    if (await exists(join(folder, ".git"))) return folder;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
}

export async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
