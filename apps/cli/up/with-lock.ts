// One `sett up` at a time looks whether a name is free and takes it, for the engine lets two networks of one name be made at once; and
// one at a time works on an instance.
import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { identify, isAlive, type ProcessId } from "../../../lib/runtime/process/process-id.ts";
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

/** Held until it is disposed of. Undefined: a process that is alive holds it, which the file `lockPath` names. */
export async function takeLock(name: string): Promise<AsyncDisposable | undefined> {
  const path = lockPath(name);
  return (await take(path)) ? { [Symbol.asyncDispose]: () => rm(path, { force: true }) } : undefined;
}

/** Held while a `sett up` or `sett down` works on the instance. Throws `instance-taken` when another one does. */
export async function holdInstance(instance: InstanceName): Promise<AsyncDisposable> {
  const name = `instance-${instance}`;
  const lock = await takeLock(name);
  if (lock !== undefined) return lock;
  throw new SettError("instance-taken", `Another \`sett up\` or \`sett down\` is at work on ${instance}.`, {
    hint: `Wait until it is done, then try again. ${lockPath(name)} names its process.`,
  });
}

export function lockPath(name: string): string {
  return join(tmpdir(), `sett-${process.getuid?.() ?? "user"}-${name}.lock`);
}

async function take(path: string): Promise<boolean> {
  if (await create(path)) return true;
  if ((await holderOf(path)) === "alive") return false;
  // What a dead process has left is removed by one at a time, which looks again: by now it may be the lock of another who was faster.
  const removal = `${path}.removal`;
  if (!(await take(removal))) return false;
  try {
    // What is dead stays so until it is removed here; what is not there may be somebody's in the next moment.
    if ((await holderOf(path)) === "dead") await rm(path, { force: true });
  } finally {
    await rm(removal, { force: true });
  }
  return await create(path);
}

/** False when it is there. A link, because it appears together with what it says: nobody finds a lock that names no holder yet. */
async function create(path: string): Promise<boolean> {
  const own = `${path}.${randomUUID()}`;
  try {
    await writeFile(own, JSON.stringify(identify(process.pid)));
    await link(own, path);
    return true;
  } catch (error) {
    // Where no lock can be made there is none to wait for.
    return !(error instanceof Error && "code" in error && error.code === "EEXIST");
  } finally {
    await rm(own, { force: true });
  }
}

async function holderOf(path: string): Promise<"alive" | "dead" | "nobody"> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return "nobody";
  try {
    // What somebody else has left there names nobody.
    const { pid, born } = JSON.parse(text) as Partial<ProcessId>;
    return pid !== undefined && born !== undefined && isAlive({ pid, born }) ? "alive" : "dead";
  } catch {
    return "dead";
  }
}
