// What stands at a path.
import { stat } from "node:fs/promises";

/** `nothing` also for what cannot be seen: whatever keeps us from seeing it will keep others from it, too. */
export async function kindOf(path: string): Promise<"file" | "folder" | "nothing"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch {
    return "nothing";
  }
}
