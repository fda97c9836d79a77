// Which repository is this? Looked up without git, because every command asks.
import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folder, from `cwd` upwards, that holds a `.git`; undefined outside of any repository. Links are resolved, as git does. */
export async function workspaceRoot(cwd: string): Promise<string | undefined> {
  let folder = await realpath(cwd);
  for (;;) {
    // A folder, or a file in a linked worktree or a submodule.
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
