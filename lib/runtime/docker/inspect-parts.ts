// Which containers, volumes and networks are Sett's, and how they are: read from their labels, the only registry.
import type Docker from "dockerode";
import type { InstanceName } from "../../model/ids.ts";
import { instanceLabel, readLabels } from "../labels.ts";
import type { ContainerPart, ContainerState, InstanceParts, NetworkPart, VolumePart } from "../port.ts";
import { envRecord } from "./env.ts";
import { ask, askIfThere } from "./errors.ts";

type Parts = Omit<InstanceParts, "instance">;

export async function allInstances(docker: Docker): Promise<InstanceParts[]> {
  const parts = await partsWith(docker, instanceLabel);
  const all = [...parts.containers, ...parts.volumes, ...parts.networks];
  const names = [...new Set(all.map((part) => part.labels.instance))].sort();
  return names.map((instance) => ({
    instance,
    containers: parts.containers.filter((part) => part.labels.instance === instance),
    volumes: parts.volumes.filter((part) => part.labels.instance === instance),
    networks: parts.networks.filter((part) => part.labels.instance === instance),
  }));
}

export async function instanceParts(docker: Docker, instance: InstanceName): Promise<InstanceParts> {
  return { instance, ...(await partsWith(docker, `${instanceLabel}=${instance}`)) };
}

export async function findContainer(docker: Docker, container: string): Promise<ContainerPart | undefined> {
  const info = await askIfThere(`look for the container ${container}`, () => docker.getContainer(container).inspect());
  return info === undefined ? undefined : containerPart(info);
}

async function partsWith(docker: Docker, label: string): Promise<Parts> {
  const filters = { label: [label] };
  const [containers, { Volumes: volumes }, networks] = await ask("list what Sett has here", () =>
    Promise.all([
      docker.listContainers({ all: true, filters }),
      docker.listVolumes({ filters }),
      docker.listNetworks({ filters }),
    ]),
  );
  // A container that goes away between the list and its inspection is simply not there.
  const inspected = await Promise.all(containers.map(({ Id }) => findContainer(docker, Id)));
  return {
    containers: byName(inspected.filter((part) => part !== undefined)),
    volumes: byName((volumes ?? []).map(volumePart).filter((part) => part !== undefined)),
    networks: byName(networks.map(networkPart).filter((part) => part !== undefined)),
  };
}

function containerPart(info: Docker.ContainerInspectInfo): ContainerPart | undefined {
  const labels = readLabels(info.Config.Labels ?? {});
  if (labels === undefined) return undefined;
  return {
    id: info.Id,
    name: info.Name.replace(/^\//, ""),
    labels,
    image: { tag: info.Config.Image, id: info.Image },
    state: stateOf(info),
    restarts: info.RestartCount,
    isOutOfMemory: info.State.OOMKilled,
    // The engine says 0 for no limit.
    memoryBytes: info.HostConfig.Memory || undefined,
    createdAt: info.Created,
    env: envRecord(info.Config.Env),
    ports: publishedPorts(info),
  };
}

export function stateOf({ State: state }: Docker.ContainerInspectInfo): ContainerState {
  switch (state.Status) {
    case "created":
      return { state: "created" };
    case "running":
      return { state: "running", startedAt: state.StartedAt, health: healthOf(state.Health?.Status) };
    case "paused":
      return { state: "paused" };
    case "restarting":
      return { state: "restarting", exitCode: state.ExitCode };
    default:
      // "exited", and "removing" or "dead" on its way out.
      return { state: "exited", exitCode: state.ExitCode, endedAt: state.FinishedAt };
  }
}

function healthOf(status: string | undefined): "none" | "starting" | "healthy" | "unhealthy" {
  return status === "starting" || status === "healthy" || status === "unhealthy" ? status : "none";
}

function publishedPorts(info: Docker.ContainerInspectInfo): ContainerPart["ports"] {
  // The engine says null for a port that is exposed but not published.
  return Object.entries(info.NetworkSettings.Ports ?? {}).flatMap(([port, bindings]) =>
    (bindings ?? []).map((binding) => ({ port: Number.parseInt(port, 10), hostPort: Number(binding.HostPort) })),
  );
}

function volumePart(volume: Docker.VolumeInspectInfo): VolumePart | undefined {
  const labels = readLabels(volume.Labels ?? {});
  return labels === undefined ? undefined : { name: volume.Name, labels };
}

function networkPart(network: Docker.NetworkInspectInfo): NetworkPart | undefined {
  const labels = readLabels(network.Labels ?? {});
  return labels === undefined ? undefined : { id: network.Id, name: network.Name, labels };
}

function byName<T extends { name: string }>(parts: T[]): T[] {
  return parts.sort((a, b) => (a.name < b.name ? -1 : 1));
}
