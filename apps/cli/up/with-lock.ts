// One `sett up` at a time looks whether a name is free and takes it, for the engine lets two networks of one name be made at once; and
// one at a time works on an instance.
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { SettError } from "../../../lib/model/errors.ts";
import { pause } from "../../../lib/service/pause.ts";

const pollMs = 20;
/** The job takes a fraction of a second; after this something is wrong, and the engine's own checks must do. */
const waitAtMostMs = 10_000;

/** Runs the job while no other process of this user runs one. The lock of a process that has died is taken over. */
export async function withLock<Result>(name: string, signal: AbortSignal, job: () => Promise<Result>): Promise<Result> {
  const path = lockPath(name);
  const deadline = Date.now() + waitAtMostMs;
  while (!(await take(path)) && Date.now() < deadline) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
    await pause(pollMs, signal);
  }
  try {
    return await job();
  } finally {
    await rm(path, { force: true });
  }
}

/** Held until it is disposed of. Undefined: a process that is alive holds it, whose number is in the file `lockPath`. */
export async function takeLock(name: string): Promise<AsyncDisposable | undefined> {
  const path = lockPath(name);
  // The first try may have found, and removed, what a process that has died has left.
  if (!(await take(path)) && !(await take(path))) return undefined;
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

export function lockPath(name: string): string {
  return join(tmpdir(), `sett-${process.getuid?.() ?? "user"}-${name}.lock`);
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    // Where no lock can be made there is none to wait for.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) return true;
    if (isAlive(Number(await readFile(path, "utf8").catch(() => "")))) return false;
    await rm(path, { force: true });
    return false;
  }
}

/** A lock that is just being written has no number in it yet: its owner is alive. */
function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and someone else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
