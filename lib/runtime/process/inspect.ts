// The states of processes, and the other parts of an instance, as the runtime's port describes
// them.
import { setTimeout as sleep } from "node:timers/promises";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { unreachable } from "../../model/unreachable.ts";
import { isAlive } from "../../process/process-id.ts";
import { readLabels } from "../labels.ts";
import type { ContainerPart, ContainerState, InstanceParts } from "../port.ts";
import { leaderOf, requireProcess } from "./processes.ts";
import { type FoundProcess, type Registry, readState } from "./registry.ts";

const pollMs = 20;
/**
 * The exit code of a process whose end was not recorded: it was killed together with its
 * supervisor, or the machine stopped.
 */
const unrecordedEnd = 137;

/** `workspace`: only the instances of this repository. */
export async function allInstances(
  registry: Registry,
  workspace?: string,
): Promise<InstanceParts[]> {
  const [found, volumes, networks] = await Promise.all([
    registry.processes(),
    registry.labelled("volumes"),
    registry.labelled("networks"),
  ]);
  const containers = found
    .flatMap((process) => partOf(process) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const labels = [...containers, ...volumes, ...networks].map((part) => part.labels);
  const own = labels.filter((one) => workspace === undefined || one.workspace === workspace);
  const names = new Set(own.map(({ instance }) => instance));
  return [...names].sort().map((instance) => ({
    instance,
    containers: containers.filter(({ labels }) => labels.instance === instance),
    volumes: volumes.filter(({ labels }) => labels.instance === instance),
    networks: networks
      .filter(({ labels }) => labels.instance === instance)
      .map((network) => ({ id: network.name, ...network })),
  }));
}

export async function instanceParts(
  registry: Registry,
  instance: InstanceName,
): Promise<InstanceParts> {
  const all = await allInstances(registry);
  return (
    all.find((parts) => parts.instance === instance) ?? {
      instance,
      containers: [],
      volumes: [],
      networks: [],
    }
  );
}

export async function findProcess(
  registry: Registry,
  process: string,
): Promise<ContainerPart | undefined> {
  const found = await registry.find(process);
  return found === undefined ? undefined : partOf(found);
}

export async function waitForEnd(
  registry: Registry,
  process: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  for (;;) {
    const state = stateOf(await requireProcess(registry, process));
    if (state.state === "exited") return state.exitCode;
    if (!(await sleepUnlessAborted(signal))) throw interrupted(process);
  }
}

export function stateOf({ folder }: FoundProcess): ContainerState {
  const state = readState(folder);
  if (state === undefined) return { state: "created" };
  const isOver = leaderOf(state) === undefined;
  switch (state.state) {
    case "running":
      if (isOver) return { state: "exited", exitCode: unrecordedEnd, endedAt: state.startedAt };
      if (!isAlive(state.supervisor)) return { state: "unsupervised", startedAt: state.startedAt };
      return { state: "running", startedAt: state.startedAt, health: "none" };
    case "restarting":
      if (isOver) return { state: "exited", exitCode: state.exitCode, endedAt: "" };
      return { state: "restarting", exitCode: state.exitCode };
    case "exited":
      return { state: "exited", exitCode: state.exitCode, endedAt: state.endedAt };
    default:
      return unreachable(state);
  }
}

function partOf(found: FoundProcess): ContainerPart | undefined {
  const { id, folder, spec } = found;
  const labels = readLabels(spec.labels);
  if (labels === undefined) return undefined;
  const state = stateOf(found);
  return {
    id,
    name: spec.name,
    labels,
    image: { tag: spec.image, id: "" },
    state,
    restarts: readState(folder)?.restarts ?? 0,
    // Processes have no memory limit, and only the kernel knows which one ran out of memory.
    isOutOfMemory: false,
    memoryBytes: undefined,
    createdAt: spec.createdAt,
    env: spec.env,
    ports: state.state === "running" || state.state === "unsupervised" ? spec.ports : [],
  };
}

/** False when the signal aborted. */
async function sleepUnlessAborted(signal: AbortSignal | undefined): Promise<boolean> {
  return await sleep(pollMs, true, { signal }).catch(() => false);
}

function interrupted(process: string): SettError {
  return new SettError("interrupted", `Interrupted while Sett waited for the process ${process}.`);
}
