// A repository folder with nothing in it but our own configuration: its objects are named by a
// variable.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * `depth`: where history ends, in the format of git's file `shallow`. The folder may exist, and has
 * none of these files yet.
 */
export async function makeBareFolder(
  gitDir: string,
  objectFormat: "sha1" | "sha256",
  depth: string | undefined,
): Promise<void> {
  await mkdir(join(gitDir, "refs"), { recursive: true });
  await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/none\n", { flag: "wx" });
  await writeFile(join(gitDir, "config"), configOf(objectFormat), { flag: "wx" });
  if (depth !== undefined) await writeFile(join(gitDir, "shallow"), depth, { flag: "wx" });
}

function configOf(objectFormat: "sha1" | "sha256"): string {
  if (objectFormat === "sha1") return "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n";
  return "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n";
}
