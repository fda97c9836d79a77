// Removes the bodies of calls that are older than sett.yml wants to keep them. Their records and
// digests stay on the blackboard.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "../../lib/async/sleep.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";

const hourMs = 3_600_000;

/**
 * Resolves with how many were removed. A body that was sent again meanwhile counts from then on.
 */
export async function removeOldBodies(folder: string, beforeMs: number): Promise<number> {
  let removed = 0;
  for (const part of await namesIn(folder))
    for (const name of await namesIn(join(folder, part))) {
      const path = join(folder, part, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || !found.isFile() || found.mtimeMs >= beforeMs) continue;
      await rm(path, { force: true });
      removed += 1;
    }
  return removed;
}

/** Looks once an hour until the signal. `keptMs`: undefined keeps all of them. */
export async function runOldBodies(
  {
    folder,
    keptMs,
    log,
    nowMs,
  }: { folder: string; keptMs: number | undefined; log: JsonLog; nowMs: () => number },
  signal: AbortSignal,
): Promise<void> {
  if (keptMs === undefined) return;
  for (; !signal.aborted; await sleep(hourMs, signal)) {
    try {
      const bodies = await removeOldBodies(folder, nowMs() - keptMs);
      if (bodies > 0) log.info("Removed old bodies of calls", { bodies });
    } catch (error) {
      log.warn("Could not remove old bodies of calls", { error: messageOf(error) });
    }
  }
}

/** Empty for what is no folder, or is gone. */
async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
