// A file as a lock between processes of this machine: whoever made it holds it, for as long as that process lives.
import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { SettError } from "../../model/errors.ts";
import { identify, isAlive, type ProcessId } from "../../process/process-id.ts";
import type { Lock } from "../port.ts";

const pollMs = 20;
/** Jobs that are waited for take a fraction of a second; after this something is wrong, and what they do must do without. */
const waitAtMostMs = 10_000;
/** A holder that cannot be looked for from here, because it lives in another container, is believed for so long. */
const believedForMs = 60_000;

/** `space` is its process numbers' own: the same number in another one is another process. */
type Holder = ProcessId & { space: string | undefined; who: string };

/** Runs the job while no other process of this machine runs one under this lock. */
export async function withLock<Result>(path: string, signal: AbortSignal, job: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + waitAtMostMs;
  while (!(await take(path, "")) && Date.now() < deadline) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
    await sleep(pollMs);
  }
  try {
    return await job();
  } finally {
    await rm(path, { force: true });
  }
}

/** Held until it is disposed of. The lock of a process that has died is taken over. */
export async function takeLock(path: string, who: string): Promise<Lock> {
  if (await take(path, who)) return { outcome: "held", [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  return { outcome: "taken", by: (await readHolder(path))?.who ?? "" };
}

async function take(path: string, who: string): Promise<boolean> {
  if (await create(path, who)) return true;
  if ((await stateOf(path)) === "alive") return false;
  // What a dead process has left is removed by one at a time, which looks again: by now it may be the lock of another who was faster.
  const removal = `${path}.removal`;
  if (!(await take(removal, who))) return false;
  try {
    // What is dead stays so until it is removed here; what is not there may be somebody's in the next moment.
    if ((await stateOf(path)) === "dead") await rm(path, { force: true });
  } finally {
    await rm(removal, { force: true });
  }
  return await create(path, who);
}

/** False when it is there. A link, because it appears together with what it says: nobody finds a lock that names no holder yet. */
async function create(path: string, who: string): Promise<boolean> {
  const own = `${path}.${randomUUID()}`;
  try {
    await writeFile(own, JSON.stringify({ ...identify(process.pid), space: ownSpace(), who }));
    await link(own, path);
    return true;
  } catch (error) {
    // Where no lock can be made there is none to wait for.
    return !(error instanceof Error && "code" in error && error.code === "EEXIST");
  } finally {
    await rm(own, { force: true });
  }
}

async function stateOf(path: string): Promise<"alive" | "dead" | "nobody"> {
  const made = await stat(path).catch(() => undefined);
  if (made === undefined) return "nobody";
  const { pid, born, space } = (await readHolder(path)) ?? {};
  if (pid === undefined || born === undefined) return "dead";
  const own = ownSpace();
  if (space !== undefined && own !== undefined && space !== own)
    return Date.now() - made.mtimeMs < believedForMs ? "alive" : "dead";
  return isAlive({ pid, born }) ? "alive" : "dead";
}

/** What somebody else has left there names nobody. */
async function readHolder(path: string): Promise<Partial<Holder> | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where there are no such spaces. */
function ownSpace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}
