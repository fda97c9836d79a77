// Starts, stops and removes a process. Its supervisor does the rest.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SettError } from "../../model/errors.ts";
import { isAlive, type ProcessId, sendSignal } from "../../process/process-id.ts";
import { killLeftBehind } from "./left-behind.ts";
import {
  type FoundProcess,
  type ProcessSpec,
  type ProcessState,
  type Registry,
  readState,
  writeSpec,
} from "./registry.ts";
import { makeSecrets, removeSecrets } from "./secrets.ts";

const pollMs = 10;
const maxStartMs = 20_000;
/** After SIGKILL to its process a supervisor records the end, and ends. */
const afterKillMs = 5_000;
const errorsFile = "supervisor.log";

/**
 * A command that supervises the process whose folder is added to it, and the environment that it
 * gets.
 */
export type Supervisor = { command: readonly string[]; env: Readonly<Record<string, string>> };

export async function startProcess(
  registry: Registry,
  supervisor: Supervisor,
  spec: ProcessSpec,
): Promise<{ id: string }> {
  const id = randomUUID();
  const folder = registry.processFolder(id);
  writeSpec(folder, spec);
  if (!(await registry.reserveName(spec.name, id))) {
    await rm(folder, { recursive: true });
    throw taken(spec.name);
  }
  try {
    await makeSecrets(spec);
    await startSupervisor(supervisor, folder, spec.name);
  } catch (error) {
    await forget(registry, { id, folder, spec });
    throw error;
  }
  return { id };
}

/** Throws `process-failed` when there is none. */
export async function startProcessAgain(
  registry: Registry,
  supervisor: Supervisor,
  process: string,
): Promise<void> {
  const { folder, spec } = await requireProcess(registry, process);
  if (leaderOf(readState(folder)) !== undefined) return;
  await makeSecrets(spec);
  await startSupervisor(supervisor, folder, spec.name);
}

/** Throws `process-failed` when there is none. */
export async function renameProcess(
  registry: Registry,
  process: string,
  name: string,
): Promise<void> {
  const { id, folder, spec } = await requireProcess(registry, process);
  if (!(await registry.reserveName(name, id))) throw taken(name);
  writeSpec(folder, { ...spec, name });
  await registry.releaseName(spec.name);
}

export async function stopProcess(
  registry: Registry,
  process: string,
  timeoutMs: number,
): Promise<void> {
  const found = await registry.find(process);
  if (found === undefined) return;
  const leader = leaderOf(readState(found.folder));
  if (leader !== undefined) {
    sendSignal(leader, "SIGTERM");
    if (!(await isGone(leader, timeoutMs))) await kill(found.folder, leader);
  }
  await killLeftBehind(found.folder);
}

export async function removeProcess(registry: Registry, process: string): Promise<void> {
  await stopProcess(registry, process, 0);
  const found = await registry.find(process);
  if (found !== undefined) await forget(registry, found);
}

export async function requireProcess(registry: Registry, process: string): Promise<FoundProcess> {
  const found = await registry.find(process);
  if (found === undefined) throw new SettError("process-failed", `There is no process ${process}.`);
  return found;
}

/**
 * The process whose end means that all of it has ended: the supervisor, or the process itself where
 * the supervisor was killed. Undefined: none.
 */
export function leaderOf(state: ProcessState | undefined): ProcessId | undefined {
  if (state === undefined) return undefined;
  if (isAlive(state.supervisor)) return state.supervisor;
  const child = state.state === "running" ? state.child : undefined;
  return child !== undefined && isAlive(child) ? child : undefined;
}

/** Returns once the supervisor runs. Throws `process-failed`, with the supervisor's own error. */
async function startSupervisor(
  { command: [program = "", ...words], env }: Supervisor,
  folder: string,
  name: string,
): Promise<void> {
  const errors = openSync(join(folder, errorsFile), "w", 0o600);
  const child = spawn(program, [...words, folder], {
    cwd: "/",
    env,
    detached: true,
    stdio: ["ignore", "ignore", errors],
  });
  closeSync(errors);
  let failure: Error | undefined;
  child.on("error", (error) => {
    failure = error;
  });
  child.unref();
  const deadline = Date.now() + maxStartMs;
  while (readState(folder)?.supervisor.pid !== child.pid || child.pid === undefined) {
    const hasEnded = failure !== undefined || child.exitCode !== null || child.signalCode !== null;
    if (!hasEnded && Date.now() < deadline) {
      await sleep(pollMs);
      continue;
    }
    child.kill("SIGKILL");
    const reason = failure?.message ?? readFileSync(join(folder, errorsFile), "utf8").trim();
    throw new SettError("process-failed", `The supervisor of ${name} did not start: ${reason}`, {
      cause: failure,
    });
  }
}

async function kill(folder: string, leader: ProcessId): Promise<void> {
  const state = readState(folder);
  if (state?.state === "running" && state.child !== undefined)
    sendSignal(state.child, "SIGKILL", { group: true });
  if (!(await isGone(leader, afterKillMs))) sendSignal(leader, "SIGKILL");
}

async function isGone(id: ProcessId, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (isAlive(id)) {
    if (Date.now() >= deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

async function forget(registry: Registry, { folder, spec }: FoundProcess): Promise<void> {
  await removeSecrets(spec);
  await registry.releaseName(spec.name);
  await rm(folder, { recursive: true, force: true });
}

function taken(name: string): SettError {
  return new SettError("instance-taken", `There is a process named ${name} already.`, {
    hint: "`sett list` shows the instances; `sett down` removes the parts of one.",
  });
}
