// The supervisor of one process: a process of its own, which goes on when the `sett` that started
// it has ended. It logs the output of its process, starts it again when it has ended, and ends
// together with it at SIGTERM.
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "../../async/back-off.ts";
import { identify } from "../../process/process-id.ts";
import { Child } from "./child.ts";
import { LogWriter } from "./log-writer.ts";
import { logFile, readSpec, writeState } from "./registry.ts";

/**
 * As Docker does: the delay doubles with each crash, and starts again after a run that has lasted.
 */
const restartDelay = { firstMs: 100, maxMs: 60_000 };
const lastingMs = 10_000;

/**
 * Resolves when the process of this folder has ended for good. Takes over SIGTERM and SIGINT of
 * this process.
 */
export async function supervise(folder: string): Promise<void> {
  const spec = readSpec(folder);
  const supervisor = identify(process.pid);
  if (spec === undefined || supervisor === undefined)
    throw new Error(`There is nothing to supervise in ${folder}.`);
  const log = new LogWriter(join(folder, logFile));
  const stop = new AbortController();
  let child: Child | undefined;
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      stop.abort();
      child?.stop();
    });
  }
  let crashes = 0;
  for (let restarts = 0; ; restarts++) {
    const startedMs = Date.now();
    child = new Child(spec, folder, log);
    const startedAt = new Date(startedMs).toISOString();
    writeState(folder, { supervisor, restarts, state: "running", child: child.id, startedAt });
    const exitCode = await child.ended();
    crashes = Date.now() - startedMs < lastingMs ? crashes + 1 : 1;
    if (spec.restart === "unless-stopped" && !stop.signal.aborted) {
      writeState(folder, { supervisor, restarts, state: "restarting", exitCode });
      await sleep(backOffMs(crashes, restartDelay), undefined, { signal: stop.signal }).catch(
        () => undefined,
      );
    }
    if (spec.restart === "unless-stopped" && !stop.signal.aborted) continue;
    writeState(folder, {
      supervisor,
      restarts,
      state: "exited",
      exitCode,
      endedAt: new Date().toISOString(),
    });
    return log.close();
  }
}
