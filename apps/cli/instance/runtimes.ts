// Finds the runtime of an instance: a Docker Engine, this machine itself, where processes are not
// isolated, or a cluster.
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { EngineRuntime, InstanceParts, Observe, Runtime } from "../../../lib/runtime/port.ts";
import {
  type ProcessRuntimeOptions,
  processRuntime,
} from "../../../lib/runtime/process/runtime.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import {
  type ClusterPlace,
  currentContext,
  idsIn,
  isOtherPlace,
  type KnownCluster,
  keptIds,
  knownClusters,
  openCluster,
  writePlace,
} from "./clusters.ts";
import { hasAnything, hasContainers } from "./find-instance.ts";
import { movedInto } from "./moved-instances.ts";
import { findPrograms, ownCommand } from "./programs.ts";
import { isAnothers, workspaceOf } from "./workspace-of.ts";

/** In the order in which instances are looked for: processes need no Engine. */
export const runtimeNames = ["process", "docker", "kubernetes"] as const;
export type RuntimeName = (typeof runtimeNames)[number];

type Env = Shell["env"];
type Surroundings = Pick<Shell, "cwd" | "env" | "interrupted" | "messages">;
export type FoundRuntime =
  | { kind: "docker"; runtime: EngineRuntime }
  | { kind: "process"; runtime: Runtime }
  | FoundCluster;

/**
 * `engine`: builds and pushes the images. `ids`: of the instances that are this repository's, to
 * which a new one is added.
 */
export type FoundCluster = {
  kind: "kubernetes";
  runtime: Runtime;
  engine: EngineRuntime;
  place: ClusterPlace;
  ids: Map<InstanceName, string>;
};

type InstanceInRuntime = InstanceParts & { runtime: RuntimeName };

/** `problems`: why the instances of a runtime are missing. */
type Found = {
  instances: InstanceInRuntime[];
  problems: ReadonlyMap<RuntimeName, SettError>;
};

/**
 * The runtime of the command's instance; Docker when there is no instance. It looks at processes
 * first, because that is fast and needs no engine.
 */
export async function runtimeOf(shell: Surroundings, name: string | undefined): Promise<Runtime> {
  const { cwd, env } = shell;
  const clusters = await knownClusters(shell);
  const [cluster] = clusters.filter(({ instance }) => name === undefined || instance === name);
  if (cluster !== undefined) return await openCluster(cluster, shell, idsIn(clusters));
  const workspace = await workspaceRoot(cwd);
  const isMeant = (parts: InstanceParts) =>
    name === undefined ? workspaceOf(parts) === workspace : parts.instance === name;
  const processes = processesOf(env);
  const all = await processes.observe.instances();
  const there = all.filter(isMeant);
  const own =
    there.length === 0 && name === undefined && workspace !== undefined
      ? (await movedInto(all, workspace, env)).map(({ now }) => now)
      : there;
  if (own.some(hasContainers)) return processes;
  if (own.length === 0) return await dockerOf(shell);
  // Only a blackboard that an earlier `sett down` has kept: a running sett in Docker comes first.
  const inDocker = (await dockerInstances(shell)).instances.filter(isMeant);
  return inDocker.some(hasContainers) ? await dockerOf(shell) : processes;
}

/**
 * The runtime for `sett up`: the one that has the instance or its kept blackboard, else the
 * requested one. Throws `instance-taken` when the two differ, what `check` throws, and why a
 * cluster does not answer that may have the instance. The returned runtime lists the instances of
 * all runtimes, so that no name or repository is used twice.
 */
export async function runtimeForUp(
  shell: Surroundings,
  { instances, problems }: Found,
  instance: InstanceName,
  { name: requested, place }: Requested,
): Promise<FoundRuntime> {
  const present = instances.find(
    (parts) => parts.instance === instance && hasAnything(parts),
  )?.runtime;
  const kind = present ?? requested ?? "docker";
  if (requested !== undefined && kind !== requested) {
    const where = {
      docker: "in Docker",
      process: "as processes of this machine",
      kubernetes: "in a cluster",
    }[kind];
    throw new SettError(
      "instance-taken",
      `${instance} runs ${where}, or its blackboard is kept there.`,
      {
        hint: `Continue there: sett up --name ${instance} --runtime ${kind}. Or choose another name: --name NAME`,
      },
    );
  }
  const silentCluster = problems.get("kubernetes");
  if (silentCluster !== undefined && present === undefined && kind !== "kubernetes") {
    const isThere = (await knownClusters(shell)).some((known) => known.instance === instance);
    if (isThere || requested === undefined) throw silentCluster;
  }
  const everywhere = everyRuntime(shell, kind);
  switch (kind) {
    case "docker": {
      // It was asked a moment ago: one that is stuck is not waited for twice.
      const problem = problems.get(kind);
      if (problem !== undefined) throw withProcessHint(problem);
      const runtime = await requireEngine(shell).catch(withoutEngine);
      return { kind, runtime: { ...runtime, observe: { ...runtime.observe, ...everywhere } } };
    }
    case "process": {
      const runtime = processesOf(shell.env);
      await runtime.observe.check();
      return { kind, runtime: { ...runtime, observe: { ...runtime.observe, ...everywhere } } };
    }
    case "kubernetes":
      return await clusterForUp(shell, instance, place);
    default:
      return unreachable(kind);
  }
}

/** `place`: what the options and sett.yml say of a cluster. */
type Requested = {
  name: RuntimeName | undefined;
  place: { context: string | undefined; namespace: string | undefined };
};

/** A new instance has a namespace of its own, unless another one is named. */
async function clusterForUp(
  shell: Surroundings,
  instance: InstanceName,
  wish: Requested["place"],
): Promise<FoundCluster> {
  const known = await knownClusters(shell);
  const before = known.find((each) => each.instance === instance);
  const place: ClusterPlace = {
    // The current one of this moment: the person may choose another one tomorrow.
    context: wish.context ?? before?.context ?? (await currentContext(shell)),
    namespace: wish.namespace ?? before?.namespace ?? `sett-${instance}`,
  };
  const ids = await keptIds(shell);
  const runtime = await openCluster(place, shell, ids);
  await runtime.observe.check();
  if (before?.id !== undefined && isOtherPlace(before, place)) {
    // A context may have another name by now.
    const isThere = (await runtime.observe.instances()).some(
      (parts) => parts.instance === instance && !isAnothers(parts),
    );
    if (!isThere) throw isElsewhere(before);
  }
  const engine = await requireEngine(shell);
  const instances = async () => {
    const { instances: all } = await everyInstance(shell);
    const here = await runtime.observe.instances();
    const others = all.filter(
      (parts) =>
        parts.runtime !== "kubernetes" || !here.some((one) => one.instance === parts.instance),
    );
    return [...others, ...here];
  };
  return {
    ...{ kind: "kubernetes", engine, place, ids },
    runtime: { ...runtime, observe: { ...runtime.observe, instances } },
  };
}

function isElsewhere({ instance, ...place }: KnownCluster): SettError {
  const where = `the namespace ${place.namespace}${place.context === undefined ? "" : ` of the context ${place.context}`}`;
  return new SettError(
    "instance-taken",
    `${instance} is in ${where}, or its blackboard is kept there.`,
    {
      hint: `Go on there: sett up --name ${instance}. Or remove it there first: sett down --name ${instance} --volumes`,
    },
  );
}

/** Throws where no sett could be started in this runtime. */
export async function requireRuntime(
  shell: Surroundings,
  requested: RuntimeName | undefined,
): Promise<void> {
  if (requested === "process") return void (await findPrograms({ withRedis: true }));
  await requireEngine(shell).catch(withoutEngine);
}

/** Throws `docker-unreachable`. */
export async function requireEngine(shell: Surroundings): Promise<EngineRuntime> {
  const docker = await dockerOf(shell);
  await docker.observe.check();
  return docker;
}

function withoutEngine(error: unknown): never {
  throw withProcessHint(error);
}

function withProcessHint(error: unknown): unknown {
  if (!(error instanceof SettError) || error.code !== "docker-unreachable") return error;
  const hint =
    `${error.hint ?? ""} Without Docker, and without isolation: sett up --runtime process`.trim();
  return new SettError(error.code, error.message, { hint, cause: error.cause });
}

/**
 * Lists the instances of all runtimes. Throws where an Engine that is in use cannot tell its own:
 * they would look as if they were gone.
 */
function everyRuntime(shell: Surroundings, kind: RuntimeName): Pick<Observe, "instances"> {
  return {
    instances: async () => {
      const { instances, problems } = await everyInstance(shell);
      const problem = kind === "docker" ? problems.get(kind) : undefined;
      if (problem !== undefined) throw problem;
      return instances;
    },
  };
}

/**
 * Ordered by name. `limitMs`: how long the Engine may take for each answer. `context`: in which the
 * clusters are, whatever the repository has noted.
 */
export async function everyInstance(
  shell: Surroundings,
  { limitMs, context }: { limitMs?: number; context?: string | undefined } = {},
): Promise<Found> {
  const look: Record<RuntimeName, () => Promise<Known>> = {
    process: async () => ({ instances: await processesOf(shell.env).observe.instances() }),
    docker: () => dockerInstances(shell, limitMs),
    kubernetes: () => clusterInstances(shell, context),
  };
  const problems = new Map<RuntimeName, SettError>();
  const found = await Promise.all(
    runtimeNames.map(async (runtime) => {
      const { instances, problem } = await look[runtime]();
      if (problem !== undefined) problems.set(runtime, problem);
      return instances.map((parts) => ({ ...parts, runtime }));
    }),
  );
  const instances = found.flat().sort((a, b) => (a.instance < b.instance ? -1 : 1));
  return { instances, problems };
}

/** Returns the instances that this repository has in clusters. */
async function clusterInstances(shell: Surroundings, context?: string): Promise<Known> {
  const known = await knownClusters(shell);
  const noted = known.map((each) => (context === undefined ? each : { ...each, context }));
  const places = new Map(noted.map((each) => [writePlace(each), each]));
  try {
    const all = await Promise.all(
      [...places.values()].map(async (place) => {
        const { observe } = await openCluster(place, shell, idsIn(known));
        return await observe.instances();
      }),
    );
    const isOwn = ({ instance }: InstanceParts) => known.some((one) => one.instance === instance);
    return { instances: all.flat().filter(isOwn) };
  } catch (error) {
    if (!(error instanceof SettError) || !error.code.startsWith("kubernetes-")) throw error;
    return { instances: [], problem: error };
  }
}

type Known = { instances: InstanceParts[]; problem?: SettError };

async function dockerInstances(shell: Surroundings, limitMs?: number): Promise<Known> {
  try {
    const docker = await dockerOf(shell, limitMs);
    // An engine that hangs would never answer; `check` has a time limit.
    await docker.observe.check();
    return { instances: await docker.observe.instances() };
  } catch (error) {
    if (!(error instanceof SettError) || error.code !== "docker-unreachable") throw error;
    return { instances: [], problem: error };
  }
}

async function dockerOf(
  { env, interrupted, messages }: Omit<Surroundings, "cwd">,
  limitMs?: number,
): Promise<EngineRuntime> {
  const { dockerRuntime } = await import("../../../lib/runtime/docker/runtime.ts");
  return await dockerRuntime({
    ...{ env, interrupted, onSlow: messages.note },
    ...withoutUndefined({ limitMs }),
  });
}

function processesOf(env: Env): Runtime {
  return processRuntime(processOptions(env), env);
}

/**
 * Returns where this program, and the services that it starts, find the processes of this user. One
 * folder holds those of all repositories, as an engine would: so every command finds every instance
 * from any folder, and each name exists once.
 */
export function processOptions(env: Env): ProcessRuntimeOptions {
  const state = env.XDG_STATE_HOME ?? "";
  const folder = join(isAbsolute(state) ? state : join(homedir(), ".local/state"), "sett");
  return { folder, supervisor: [...ownCommand(), "supervise"] };
}
