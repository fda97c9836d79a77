// Reads objects of a repository byte for byte, many in one run of git.
import { Buffer } from "node:buffer";
import type { GitRun } from "../run/run-git.ts";

/** An object that is not there is left out. Throws git-failed. */
export async function readObjects(
  run: (run: GitRun) => Promise<unknown>,
  hashes: Iterable<string>,
): Promise<Map<string, Buffer>> {
  const objects = new Map<string, Buffer>();
  const stdin = [...hashes].map((hash) => `${hash}\n`).join("");
  if (stdin === "") return objects;
  const chunks: Uint8Array[] = [];
  const onStdout = (chunk: Uint8Array) => chunks.push(chunk);
  await run({ args: ["cat-file", "--batch"], stdin, onStdout });
  const bytes = Buffer.concat(chunks);
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf("\n", from);
    const [hash = "", , size] = bytes.toString("latin1", from, end).split(" ");
    from = end + 1;
    // An object that is not there has a line alone.
    if (size === undefined) continue;
    objects.set(hash, bytes.subarray(from, from + Number(size)));
    from += Number(size) + 1;
  }
  return objects;
}
