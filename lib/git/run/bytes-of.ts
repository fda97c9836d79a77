// Reads what git prints as bytes: names of files need not be text.
import type { GitRun } from "./run-git.ts";

/** `run`: runs git, in a repository. */
export async function bytesOf(
  run: (run: GitRun) => Promise<unknown>,
  args: readonly string[],
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await run({ args, onStdout: (chunk) => chunks.push(chunk) });
  return Buffer.concat(chunks);
}
