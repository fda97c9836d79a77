// Finds Sett's containers, volumes and networks by their labels, or by their names where they have none, and reads their states.
import type Docker from "dockerode";
import type { InstanceName } from "../../model/ids.ts";
import { identifyPart } from "../identify-part.ts";
import type { PartLabels } from "../labels.ts";
import type { ContainerPart, ContainerState, InstanceParts, NetworkPart, VolumePart } from "../port.ts";
import { envRecord } from "./env.ts";
import { ask, askIfThere } from "./errors.ts";

type Parts = Omit<InstanceParts, "instance">;
type Everything = Awaited<ReturnType<typeof listEverything>>;

/** `workspace`: only the instances of this repository; then no container of another one is inspected. */
export async function allInstances(docker: Docker, workspace?: string): Promise<InstanceParts[]> {
  const everything = await listEverything(docker);
  const own = workspace === undefined ? undefined : instancesOf(everything, workspace);
  const parts = await partsOf(docker, everything, ({ instance }) => own?.has(instance) ?? true);
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
  return { instance, ...(await partsOf(docker, await listEverything(docker), (labels) => labels.instance === instance)) };
}

/** One labelled part is enough: others may have no labels. */
function instancesOf({ containers, volumes, networks }: Everything, workspace: string): Set<InstanceName> {
  const labels = [
    ...containers.map((one) => identifyPart("container", one.name, one.labels)),
    ...volumes.map((one) => identifyPart("volume", one.Name, one.Labels)),
    ...networks.map((one) => identifyPart("network", one.Name, one.Labels)),
  ];
  return new Set(labels.flatMap((known) => (known?.workspace === workspace ? [known.instance] : [])));
}

export async function findContainer(docker: Docker, container: string): Promise<ContainerPart | undefined> {
  const info = await askIfThere(`look for the container ${container}`, () => docker.getContainer(container).inspect());
  return info === undefined ? undefined : containerPart(info);
}

/** Everything on this Engine: a part of Sett may not have the label that one could filter by. */
export async function listEverything(docker: Docker) {
  const [containers, { Volumes: volumes }, networks] = await ask("list what Sett has here", () =>
    Promise.all([docker.listContainers({ all: true }), docker.listVolumes(), docker.listNetworks()]),
  );
  return {
    containers: containers.map(({ Id, Names, Labels }) => ({ id: Id, name: bareName(Names[0] ?? ""), labels: Labels })),
    volumes: volumes ?? [],
    networks,
  };
}

async function partsOf(
  docker: Docker,
  { containers, volumes, networks }: Everything,
  isWanted: (labels: PartLabels) => boolean,
): Promise<Parts> {
  const wanted = <Part extends { labels: PartLabels }>(part: Part | undefined) =>
    part !== undefined && isWanted(part.labels) ? [part] : [];
  const own = containers.filter(({ name, labels }) => {
    const known = identifyPart("container", name, labels);
    return known !== undefined && isWanted(known);
  });
  // A container that is removed between the list and its inspection is left out.
  const inspected = await Promise.all(own.map(({ id }) => findContainer(docker, id)));
  return {
    containers: byName(inspected.flatMap(wanted)),
    volumes: byName(volumes.map(volumePart).flatMap(wanted)),
    networks: byName(networks.map(networkPart).flatMap(wanted)),
  };
}

function bareName(name: string): string {
  return name.replace(/^\//, "");
}

function containerPart(info: Docker.ContainerInspectInfo): ContainerPart | undefined {
  const name = bareName(info.Name);
  const labels = identifyPart("container", name, info.Config.Labels);
  if (labels === undefined) return undefined;
  return {
    id: info.Id,
    name,
    labels,
    image: { tag: info.Config.Image, id: info.Image },
    state: stateOf(info),
    restarts: info.RestartCount,
    isOutOfMemory: info.State.OOMKilled,
    // The Engine says 0 for no limit.
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
  // The Engine says null for a port that is exposed but not published.
  return Object.entries(info.NetworkSettings.Ports ?? {}).flatMap(([port, bindings]) =>
    (bindings ?? []).map((binding) => ({ port: Number.parseInt(port, 10), hostPort: Number(binding.HostPort) })),
  );
}

function volumePart(volume: Docker.VolumeInspectInfo): VolumePart | undefined {
  const labels = identifyPart("volume", volume.Name, volume.Labels);
  return labels === undefined ? undefined : { name: volume.Name, labels };
}

function networkPart(network: Docker.NetworkInspectInfo): NetworkPart | undefined {
  const labels = identifyPart("network", network.Name, network.Labels);
  return labels === undefined ? undefined : { id: network.Id, name: network.Name, labels };
}

function byName<T extends { name: string }>(parts: T[]): T[] {
  return parts.sort((a, b) => (a.name < b.name ? -1 : 1));
}
