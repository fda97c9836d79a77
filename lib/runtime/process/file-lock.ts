// A file as a lock between processes of this machine: the process that made it holds it, as long as
// it lives.
import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { link, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { SettError } from "../../model/errors.ts";
import { identify, isAlive, type ProcessId } from "../../process/process-id.ts";
import type { Lock, LostLock } from "../port.ts";

const pollMs = 20;
/**
 * Jobs under a lock take a fraction of a second; after this something is wrong, and the job runs
 * without the lock.
 */
const maxWaitMs = 10_000;
/**
 * A holder in another container, which cannot be checked from here, counts as alive for so long.
 */
const trustedForMs = 60_000;
/** Several times within that time. */
const renewMs = 10_000;

/**
 * `space`: the namespace of its process number; the same number in another one is another process.
 */
type Holder = ProcessId & { space: string | undefined; who: string; lock: string };

/** Runs the job while no other process of this machine runs one under this lock. */
export async function withLock<Result>(
  path: string,
  signal: AbortSignal,
  job: () => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + maxWaitMs;
  const own = randomUUID();
  while (!(await tryAcquire(path, "", own)) && Date.now() < deadline) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
    await sleep(pollMs);
  }
  try {
    return await job();
  } finally {
    await remove(path, own);
  }
}

/**
 * Held until it is disposed of. The lock of a process that has died is taken over. `everyMs`: how
 * often it is renewed, for those who cannot look for its process.
 */
export async function acquireLock(path: string, who: string, everyMs = renewMs): Promise<Lock> {
  const own = randomUUID();
  if (!(await tryAcquire(path, who, own)))
    return { outcome: "taken", by: (await readHolder(path))?.who ?? "" };
  const lost = new AbortController();
  const lose = (reason: LostLock) => {
    clearInterval(timer);
    lost.abort(reason);
  };
  const timer = setInterval(() => void renew(path, who, own, lose), everyMs);
  timer.unref();
  const release = async () => {
    clearInterval(timer);
    await remove(path, own);
  };
  return { outcome: "held", lost: lost.signal, [Symbol.asyncDispose]: release };
}

async function renew(
  path: string,
  who: string,
  own: string,
  lose: (reason: LostLock) => void,
): Promise<void> {
  const now = new Date();
  const holder = await readHolder(path);
  if (holder?.lock === own) await utimes(path, now, now).catch(() => undefined);
  // It was removed by hand.
  else if (holder === undefined && (await create(path, who, own))) return;
  else {
    const found = await readHolder(path);
    // On a slow disk two renewals overlap, and the other one has made it again.
    if (found?.lock !== own) lose({ by: found?.who ?? "" });
  }
}

/** Another's may be there by now. */
async function remove(path: string, own: string): Promise<void> {
  if ((await readHolder(path))?.lock === own) await rm(path, { force: true });
}

/** `lock`: known by its holder alone, so that it knows its own lock again. */
async function tryAcquire(path: string, who: string, lock: string): Promise<boolean> {
  if (await create(path, who, lock)) return true;
  if ((await stateOf(path)) === "alive") return false;
  // Only one process at a time removes the lock of a dead one, and checks again before: by now
  // another may hold it.
  const removal = `${path}.removal`;
  if (!(await tryAcquire(removal, who, lock))) return false;
  try {
    // A dead lock stays dead until it is removed here; a missing one may be made by another process
    // at any moment.
    if ((await stateOf(path)) === "dead") await rm(path, { force: true });
  } finally {
    await rm(removal, { force: true });
  }
  return await create(path, who, lock);
}

/**
 * False when the file exists. Made by a link, so that it appears with its content: no process finds
 * a lock without a holder.
 */
async function create(path: string, who: string, lock: string): Promise<boolean> {
  const own = `${path}.${randomUUID()}`;
  try {
    const holder = { ...identify(process.pid), space: ownSpace(), who, lock };
    await writeFile(own, JSON.stringify(holder));
    await link(own, path);
    return true;
  } catch (error) {
    // Where no lock can be made, no other process can hold it.
    return !(error instanceof Error && "code" in error && error.code === "EEXIST");
  } finally {
    await rm(own, { force: true });
  }
}

async function stateOf(path: string): Promise<"alive" | "dead" | "none"> {
  const made = await stat(path).catch(() => undefined);
  if (made === undefined) return "none";
  const { pid, born, space } = (await readHolder(path)) ?? {};
  if (pid === undefined || born === undefined) return "dead";
  const own = ownSpace();
  if (space !== undefined && own !== undefined && space !== own)
    return Date.now() - made.mtimeMs < trustedForMs ? "alive" : "dead";
  return isAlive({ pid, born }) ? "alive" : "dead";
}

/** Undefined for a file that is not a lock of Sett. */
async function readHolder(path: string): Promise<Partial<Holder> | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where the system has no such namespaces. */
function ownSpace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}
