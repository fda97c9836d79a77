// Says whether a file or a folder is at a path.
import { stat } from "node:fs/promises";

/**
 * `nothing` also for a path that this process may not read: the Engine's build could not read it
 * either.
 */
export async function kindOf(path: string): Promise<"file" | "folder" | "nothing"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch {
    return "nothing";
  }
}
