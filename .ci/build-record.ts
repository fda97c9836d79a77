// A record of the sources of each binary, kept beside the binaries, so that nothing is compiled
// twice.

import { join } from "node:path";

const recordPath = "bin/.built-from.json";

/**
 * One hash over the content of `files` (paths below `root`) and over `settings`, such as compiler
 * flags.
 */
export async function hashOf(root: string, files: string[], settings: string[]): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(settings.join("\n"));
  for (const file of files) {
    hash.update(`\n${file}\n`).update(await Bun.file(join(root, file)).arrayBuffer());
  }
  return hash.digest("hex");
}

/** True when the binary at `path` exists and was made from the sources with this hash. */
export async function isUpToDate(root: string, path: string, hash: string): Promise<boolean> {
  const record = await read(root);
  return record[path] === hash && (await Bun.file(join(root, path)).exists());
}

/** Records that the binary at `path` was made from the sources with this hash. */
export async function remember(root: string, path: string, hash: string): Promise<void> {
  await Bun.write(
    join(root, recordPath),
    JSON.stringify({ ...(await read(root)), [path]: hash }, undefined, 2),
  );
}

/** The hash of the sources of the binary at `path`; empty where there is no record. */
export async function recordOf(root: string, path: string): Promise<string> {
  return (await read(root))[path] ?? "";
}

async function read(root: string): Promise<Record<string, string>> {
  const file = Bun.file(join(root, recordPath));
  return (await file.exists()) ? await file.json() : {};
}
