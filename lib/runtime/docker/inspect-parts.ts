// Finds Sett's containers, volumes and networks (lib/runtime/own-part.ts), and reads their states.
import type Docker from "dockerode";
import type { InstanceName } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { PartLabels } from "../labels.ts";
import { idsOf, isNameIn, ownPart, withIdOfInstance } from "../own-part.ts";
import type { ContainerPart, ContainerState, InstanceParts, Stranger } from "../port.ts";
import { envRecord } from "./env.ts";
import { ask, askIfThere } from "./errors.ts";
import { leadTo, passingOn, portsInside } from "./ports-inside.ts";

type Parts = Omit<InstanceParts, "instance">;
type Own = Awaited<ReturnType<typeof ownParts>>;

/**
 * `workspace`: only the instances of this repository; then no container of another one is
 * inspected.
 */
export async function allInstances(docker: Docker, workspace?: string): Promise<InstanceParts[]> {
  const own = await ownParts(docker);
  const wanted = workspace === undefined ? undefined : instancesOf(own, workspace);
  const parts = await partsOf(docker, own, ({ instance }) => wanted?.has(instance) ?? true);
  const all = [...parts.containers, ...parts.volumes, ...parts.networks];
  const names = [...new Set(all.map((part) => part.labels.instance))].sort();
  return names.map((instance) => ({
    instance,
    containers: parts.containers.filter((part) => part.labels.instance === instance),
    volumes: parts.volumes.filter((part) => part.labels.instance === instance),
    networks: parts.networks.filter((part) => part.labels.instance === instance),
  }));
}

export async function instanceParts(
  docker: Docker,
  instance: InstanceName,
): Promise<InstanceParts> {
  return {
    instance,
    ...(await partsOf(docker, await ownParts(docker), (labels) => labels.instance === instance)),
  };
}

/** One part that names the repository is enough. */
function instancesOf({ containers, volumes, networks }: Own, workspace: string): Set<InstanceName> {
  const all = [...containers, ...volumes, ...networks];
  return new Set(
    all.flatMap(({ labels }) => (labels.workspace === workspace ? [labels.instance] : [])),
  );
}

export async function findContainer(
  docker: Docker,
  container: string,
): Promise<ContainerPart | undefined> {
  const info = await askIfThere(`look for the container ${container}`, () =>
    docker.getContainer(container).inspect(),
  );
  return info === undefined ? undefined : await containerPart(docker, info);
}

/** All that has a name of a part of this instance, and is not of it. Ordered by name. */
export async function strangersOf(docker: Docker, instance: InstanceName): Promise<Stranger[]> {
  const everything = await listEverything(docker);
  const own = await ownOf(docker, everything);
  const others = <Part extends { name: string; id: string }>(
    sort: Stranger["sort"],
    all: Part[],
    known: readonly Part[],
  ) =>
    all
      .filter(({ name, id }) => isNameIn(instance, name) && !known.some((part) => part.id === id))
      .map(({ name, id }) => ({
        sort,
        name,
        ...(isOneOfSeveral(name, all) && { id: id.slice(0, 12) }),
      }));
  return byName([
    ...others("container", everything.containers, own.containers),
    ...others("volume", everything.volumes, own.volumes),
    ...others("network", everything.networks, own.networks),
  ]);
}

/** Two networks may have one name, and then it names neither of them. */
function isOneOfSeveral(name: string, all: readonly { name: string }[]): boolean {
  return all.filter((other) => other.name === name).length > 1;
}

/** All that is Sett's on this Engine, with its labels. */
export async function ownParts(docker: Docker) {
  return await ownOf(docker, await listEverything(docker));
}

async function ownOf(
  docker: Docker,
  { containers, volumes, networks }: Awaited<ReturnType<typeof listEverything>>,
) {
  const labelled = await Promise.all(
    containers.map(async (one) => {
      const isCandidate = ownPart(one) !== undefined;
      return isCandidate
        ? ownPart({ ...one, imageLabels: await labelsOfImage(docker, one.imageId) })
        : undefined;
    }),
  );
  const all = {
    containers: known(containers, (_, index) => labelled[index]),
    volumes: known(volumes, ownPart),
    networks: known(networks, ownPart),
  };
  const ids = idsOf([...all.volumes, ...all.networks, ...all.containers]);
  return {
    containers: withIdOfInstance(all.containers, ids),
    volumes: withIdOfInstance(all.volumes, ids),
    networks: withIdOfInstance(all.networks, ids),
  };
}

function known<Part extends object>(
  parts: Part[],
  labelsOf: (part: Part, index: number) => PartLabels | undefined,
) {
  return parts.flatMap((part, index) => {
    const labels = labelsOf(part, index);
    return labels === undefined ? [] : [{ ...part, labels }];
  });
}

/** Everything on this Engine: a stranger has no label that one could filter by. */
async function listEverything(docker: Docker) {
  const [containers, { Volumes: volumes }, networks] = await ask("list what Sett has here", () =>
    Promise.all([
      docker.listContainers({ all: true }),
      docker.listVolumes(),
      docker.listNetworks(),
    ]),
  );
  return {
    containers: containers.map(({ Id, Names, Labels, ImageID }) => ({
      id: Id,
      name: bareName(Names[0] ?? ""),
      labels: Labels,
      imageId: ImageID,
    })),
    volumes: (volumes ?? []).map(({ Name, Labels, Options }) => ({
      ...{ id: Name, name: Name, labels: Labels },
      isLaid: Options?.type === "overlay",
    })),
    networks: networks.map(({ Id, Name, Labels }) => ({ id: Id, name: Name, labels: Labels })),
  };
}

type Labels = Readonly<Record<string, string>>;

const imageLabels = new WeakMap<Docker, Map<string, Promise<Labels>>>();

/** Those of an image never change. None where the image is gone. */
async function labelsOfImage(docker: Docker, id: string): Promise<Labels> {
  const known = imageLabels.get(docker) ?? new Map<string, Promise<Labels>>();
  imageLabels.set(docker, known);
  // Those that ask at the same time share one answer, since many containers are of one image.
  const labels = known.get(id) ?? inspectedLabels(docker, id);
  known.set(id, labels);
  try {
    return await labels;
  } catch (error) {
    known.delete(id);
    throw error;
  }
}

async function inspectedLabels(docker: Docker, id: string): Promise<Labels> {
  const image = await askIfThere(`look at the image ${id}`, () => docker.getImage(id).inspect());
  return image?.Config?.Labels ?? {};
}

async function partsOf(
  docker: Docker,
  { containers, volumes, networks }: Own,
  isWanted: (labels: PartLabels) => boolean,
): Promise<Parts> {
  const own = containers.filter(({ labels }) => isWanted(labels));
  // A container that is removed between the list and its inspection is left out.
  const inspected = await Promise.all(own.map(({ id }) => findContainer(docker, id)));
  return {
    containers: byName(
      inspected.flatMap((part) => (part !== undefined && isWanted(part.labels) ? [part] : [])),
    ),
    volumes: byName(
      volumes
        .filter(({ labels }) => isWanted(labels))
        .map(({ name, labels, isLaid }) => ({ name, labels, ...(isLaid && { isLaid }) })),
    ),
    networks: byName(
      networks
        .filter(({ labels }) => isWanted(labels))
        .map(({ id, name, labels }) => ({ id, name, labels })),
    ),
  };
}

function bareName(name: string): string {
  return name.replace(/^\//, "");
}

async function containerPart(
  docker: Docker,
  info: Docker.ContainerInspectInfo,
): Promise<ContainerPart | undefined> {
  const candidate = { name: bareName(info.Name), labels: info.Config.Labels };
  if (ownPart(candidate) === undefined) return undefined;
  const labels = ownPart({ ...candidate, imageLabels: await labelsOfImage(docker, info.Image) });
  if (labels === undefined) return undefined;
  const { name } = candidate;
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
    ...sharedNetwork(info),
    env: envRecord(info.Config.Env),
    ports: [...publishedPorts(info), ...(await ledPorts(docker, info, labels))],
  };
}

function sharedNetwork({
  HostConfig,
}: Docker.ContainerInspectInfo): Pick<ContainerPart, "sharesNetworkOf"> {
  const [, id] = /^container:(.+)$/.exec(HostConfig.NetworkMode ?? "") ?? [];
  return withoutUndefined({ sharesNetworkOf: id });
}

export function stateOf({ State: state }: Docker.ContainerInspectInfo): ContainerState {
  switch (state.Status) {
    case "created":
      return { state: "created" };
    case "running":
      return {
        state: "running",
        startedAt: state.StartedAt,
        health: healthOf(state.Health?.Status),
      };
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
    (bindings ?? []).map((binding) => ({
      port: Number.parseInt(port, 10),
      hostPort: Number(binding.HostPort),
    })),
  );
}

async function ledPorts(
  docker: Docker,
  info: Docker.ContainerInspectInfo,
  { component }: PartLabels,
): Promise<ContainerPart["ports"]> {
  const { Id, State, Config, HostConfig } = info;
  if (!State.Running) return [];
  const [program] = [Config.Entrypoint ?? []].flat();
  const led = portsInside(Config, HostConfig).map(async (port) => {
    const command = passingOn(component, program, port);
    if (command === undefined) return [];
    return [{ port, ...(await leadTo(docker, { container: Id, port, command })) }];
  });
  return (await Promise.all(led)).flat();
}

function byName<T extends { name: string }>(parts: T[]): T[] {
  return parts.sort((a, b) => (a.name < b.name ? -1 : 1));
}
