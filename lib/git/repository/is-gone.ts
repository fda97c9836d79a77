// Whether a repository is no longer where it was.
import { stat } from "node:fs/promises";

/** False also where that cannot be known: without the right to look, or where a disk is stuck. */
export async function isGone(path: string): Promise<boolean> {
  return await stat(path).then(
    () => false,
    (error: unknown) =>
      error instanceof Error &&
      "code" in error &&
      (error.code === "ENOENT" || error.code === "ENOTDIR"),
  );
}
