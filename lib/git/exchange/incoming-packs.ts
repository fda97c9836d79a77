// Commits from another machine: they are put where their agents would have left them, for as long
// as they are taken from there.
import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { packName } from "./pack-name.ts";
import type { RecordedCommit } from "./port.ts";

/**
 * Disposing of it removes the packs, and the folders that are empty then. A commit whose agent is
 * not known has no place there. One for which `packOf` rejects with git-failed is left out: the
 * import reports that commit alone.
 */
export async function bringPacks<Result extends RecordedCommit>(
  exchange: string,
  results: readonly Result[],
  packOf: (result: Result) => Promise<Uint8Array>,
): Promise<AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const files: string[] = [];
  undo.defer(() => removePacks(exchange, files));
  for (const result of results) {
    if (result.agent === "") continue;
    const pack = await packOf(result).catch(unlessGitFailed);
    if (pack === undefined) continue;
    const file = join(exchange, result.agent, packName(result.commit));
    await mkdir(dirname(file), { recursive: true });
    files.push(file);
    await writeFile(file, pack);
  }
  return undo.move();
}

function unlessGitFailed(error: unknown): undefined {
  if (!(error instanceof SettError) || error.code !== "git-failed") throw error;
}

async function removePacks(exchange: string, files: readonly string[]): Promise<void> {
  for (const file of files) await rm(file, { force: true });
  const folders = new Set(files.map((file) => dirname(file)));
  for (const folder of [...folders, exchange]) await rmdir(folder).catch(() => undefined);
}
