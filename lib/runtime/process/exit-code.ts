// The exit code of a child process, as shells report it.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

/** Shells add it to the number of a signal that ended a command. */
const signalled = 128;

/** Rejects where it could not be started. */
export async function exitCodeOf(child: ChildProcess): Promise<number> {
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return exitCode ?? signalled + (signal === null ? 0 : constants.signals[signal]);
}
