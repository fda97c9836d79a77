// Notices that the reader of the output has gone before anything more is written to it: else the
// next write alone says so, which may be hours away (`sett watch | head -1`).
import { spawn } from "node:child_process";
import { fstatSync } from "node:fs";
import process from "node:process";

const stdout = 1;

/** A command that ends before that needs no watch. */
const afterMs = 2_000;

/**
 * Calls `onGone` when no program has the other end of stdout any more. No module tells of that, but
 * `tail` of GNU looks at its own output while it follows a file, and ends by SIGPIPE; where there
 * is another `tail`, nothing is noticed. Keeps no program alive.
 */
export function watchReader(onGone: () => void, { delayMs = afterMs } = {}): void {
  if (!isPipe(stdout)) return;
  setTimeout(() => {
    const words = ["--follow", "/dev/null", `--pid=${process.pid}`];
    const watch = spawn("tail", words, { stdio: ["ignore", "inherit", "ignore"] });
    watch.on("error", () => undefined);
    watch.on("exit", (_, signal) => {
      if (signal === "SIGPIPE") onGone();
    });
    // It has the output open, too, and its reader waits for the end.
    process.on("exit", () => watch.kill("SIGKILL"));
    watch.unref();
  }, delayMs).unref();
}

function isPipe(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFIFO();
  } catch {
    return false;
  }
}
