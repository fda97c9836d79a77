// What a commit has at certain paths, as one digest: where it is the same, so are the files.
import { createHash } from "node:crypto";
import type { CommitHash } from "../../model/ids.ts";
import type { GitRun } from "../run/run-git.ts";

/** `missing`: the paths at which the commit has nothing. */
export type KeyFiles = { digest: string; missing: string[] };

/** `paths`: files or folders, none with a line break. Their order does not matter. */
export async function readKeyFiles(
  run: (run: GitRun) => Promise<string>,
  commit: CommitHash,
  paths: readonly string[],
): Promise<KeyFiles> {
  const sorted = [...new Set(paths)].toSorted();
  const stdin = sorted.map((path) => `${commit}:${path}\n`).join("");
  const format = "--batch-check=%(objecttype) %(objectname)";
  const lines = (await run({ args: ["cat-file", format], stdin })).split("\n");
  const missing = sorted.filter(
    (_, index) => !/^(?:blob|tree|commit) [0-9a-f]+$/.test(lines[index] ?? ""),
  );
  const text = JSON.stringify(sorted.map((path, index) => [path, lines[index]]));
  return { digest: createHash("sha256").update(text).digest("hex"), missing };
}
