// Which runtime has an instance: a Docker Engine, or this machine itself, whose processes nothing walls off.
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { type ProcessRuntimeOptions, processRuntime } from "../../../lib/runtime/process/runtime.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { hasAnything, hasContainers, workspaceOf } from "./find-instance.ts";
import { findPrograms, ownCommand } from "./programs.ts";

export const runtimeNames = ["docker", "process"] as const;
export type RuntimeName = (typeof runtimeNames)[number];

type Env = Shell["env"];
type RunningSomewhere = InstanceParts & { runtime: RuntimeName };

/**
 * The runtime of the instance that a command means, Docker when there is none. Processes are looked for first: that takes a moment, and
 * no engine.
 */
export async function runtimeOf({ cwd, env }: Pick<Shell, "cwd" | "env">, name: string | undefined): Promise<ContainerRuntime> {
  const workspace = await workspaceRoot(cwd);
  const isMeant = (parts: InstanceParts) => (name === undefined ? workspaceOf(parts) === workspace : parts.instance === name);
  const processes = processesOf(env);
  const own = (await processes.instances()).filter(isMeant);
  if (own.some(hasContainers)) return processes;
  if (own.length === 0) return await dockerOf();
  // Only what an earlier `down` has kept: a sett that runs in Docker comes first.
  const inDocker = (await dockerInstances()).instances.filter(isMeant);
  return inDocker.some(hasContainers) ? await dockerOf() : processes;
}

/**
 * The runtime in which `sett up` shall bring an instance up: the one that has it, even if only its blackboard, else the one wished for.
 * `instances`: all of both runtimes. Throws `instance-taken` when those differ, and what its `check` throws. Its `instances` are those of both runtimes, so that no name or repository is taken twice.
 */
export async function runtimeForUp(
  env: Env,
  instances: readonly RunningSomewhere[],
  instance: InstanceName,
  wish: RuntimeName | undefined,
): Promise<{ kind: RuntimeName; runtime: ContainerRuntime }> {
  const has = instances.find((parts) => parts.instance === instance && hasAnything(parts))?.runtime;
  const kind = has ?? wish ?? "docker";
  if (wish !== undefined && kind !== wish) {
    const where = kind === "docker" ? "in Docker" : "as processes of this machine";
    throw new SettError("instance-taken", `${instance} runs ${where}, or has kept its blackboard there.`, {
      hint: `Go on there: sett up --name ${instance} --runtime ${kind}. Or choose another name: --name NAME`,
    });
  }
  const runtime = kind === "docker" ? await dockerOf() : processesOf(env);
  await runtime.check().catch((error: unknown) => {
    throw withWayOut(error);
  });
  return { kind, runtime: { ...runtime, ...everyRuntime(env) } };
}

/** Throws what makes it impossible to start a sett in it, before anything is known of that sett. */
export async function requireRuntime(wish: RuntimeName | undefined): Promise<void> {
  if (wish === "process") return void (await findPrograms());
  const docker = await dockerOf();
  await docker.check().catch((error: unknown) => {
    throw withWayOut(error);
  });
}

function withWayOut(error: unknown): unknown {
  if (!(error instanceof SettError) || error.code !== "docker-unreachable") return error;
  const hint = `${error.hint ?? ""} Without Docker, and with nothing isolated: sett up --runtime process`.trim();
  return new SettError(error.code, error.message, { hint, cause: error.cause });
}

/** Sees the instances of both. */
export function everyRuntime(env: Env): Pick<ContainerRuntime, "instances"> {
  return { instances: async () => (await everyInstance(env)).instances };
}

/** Of both runtimes, ordered by name. `unseen`: why those of Docker cannot be seen. */
export async function everyInstance(env: Env): Promise<{ instances: RunningSomewhere[]; unseen: SettError | undefined }> {
  const [processes, docker] = await Promise.all([processesOf(env).instances(), dockerInstances()]);
  const instances = [
    ...processes.map((parts) => ({ ...parts, runtime: "process" as const })),
    ...docker.instances.map((parts) => ({ ...parts, runtime: "docker" as const })),
  ];
  return { instances: instances.sort((a, b) => (a.instance < b.instance ? -1 : 1)), unseen: docker.unseen };
}

async function dockerInstances(): Promise<{ instances: InstanceParts[]; unseen: SettError | undefined }> {
  try {
    const docker = await dockerOf();
    // An engine that is stuck would keep us waiting for ever.
    await docker.check();
    return { instances: await docker.instances(), unseen: undefined };
  } catch (error) {
    if (!(error instanceof SettError) || error.code !== "docker-unreachable") throw error;
    return { instances: [], unseen: error };
  }
}

async function dockerOf(): Promise<ContainerRuntime> {
  const { dockerRuntime } = await import("../../../lib/runtime/docker/runtime.ts");
  return await dockerRuntime();
}

function processesOf(env: Env): ContainerRuntime {
  return processRuntime(processOptions(env), env);
}

/**
 * How this program, and whoever it tells, reaches the processes of this user. They are kept in one place and not in each repository, as
 * an engine would keep them: so every command finds every instance from anywhere, and a name is taken once.
 */
export function processOptions(env: Env): ProcessRuntimeOptions {
  const state = env.XDG_STATE_HOME ?? "";
  const folder = join(isAbsolute(state) ? state : join(homedir(), ".local/state"), "sett");
  return { folder, supervisor: [...ownCommand(), "supervise"] };
}
