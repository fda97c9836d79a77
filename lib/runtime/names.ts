// The names of the parts of an instance (docs/internals/containers.md#names-and-labels).
import type { AgentName, ClaimId, InstanceName } from "../model/ids.ts";
import { prepareWay } from "../model/prepare.ts";
import { type ServiceName, serviceNames } from "../model/services.ts";
import type { PartLabels } from "./labels.ts";

export function serviceContainer(instance: InstanceName, service: ServiceName): string {
  return `sett-${instance}-${service}`;
}

export function agentContainerName(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}-agent-${agent}`;
}

/** Without its tag: the image that holds the cub, with its loader and git. */
export const carrierImage = "sett/cub";

/** The name of the lock for work on the instance; no part of an instance has this name. */
export function lockName(instance: InstanceName): string {
  return `sett-${instance}.lock`;
}

/** The image that is built for an agent. */
export function agentImageTag(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}-agent-${agent}:latest`;
}

/**
 * The image that `devcontainer` builds has this name while the image of the agent is made of it.
 */
export function devcontainerTag(tag: string): string {
  return `${tag.replace(/:[^:/]*$/, "")}:devcontainer`;
}

/**
 * True of the image of any agent of this instance, and perhaps of an instance whose name begins the
 * same: only the label distinguishes them. A person may have given it another tag.
 */
export function isAgentImageTag(instance: InstanceName, tag: string): boolean {
  return tag.startsWith(`sett-${instance}-agent-`) && /:(?:latest|devcontainer)$/.test(tag);
}

/** The claim's first eight characters and the attempt distinguish the workers of one agent. */
export function workerName(
  instance: InstanceName,
  agent: AgentName,
  claim: ClaimId,
  attempt: number,
): string {
  return `sett-${instance}-worker-${agent}-${claim.slice(0, 8)}-${attempt}`;
}

/** Whether a worker of this agent can have that name. */
export function isWorkerName(name: string, instance: InstanceName, agent: AgentName): boolean {
  const start = `sett-${instance}-worker-${agent}-`;
  return name.startsWith(start) && /^[0-9a-f]{8}-[1-9]\d{0,6}$/.test(name.slice(start.length));
}

/** A service beside a worker. */
export function sidecarName(worker: string, service: string): string {
  return `${worker}.beside-${service}`;
}

export function isSidecarOf(name: string, worker: string): boolean {
  return name.startsWith(sidecarName(worker, ""));
}

const sidecarPattern = /^(.+)\.beside-([a-z][a-z0-9-]*)$/;

/** The worker beside which it is; undefined for the name of anything else. */
export function workerBeside(sidecar: string): string | undefined {
  return sidecarPattern.exec(sidecar)?.[1];
}

/** The name of the service in sett.yml. */
export function serviceBeside(sidecar: string): string | undefined {
  return sidecarPattern.exec(sidecar)?.[2];
}

/** Of Sett's own parts. */
export function networkName(instance: InstanceName): string {
  return `sett-${instance}`;
}

/**
 * The network of an agent with `network: direct`, and of the egress proxy; none of them reaches
 * another. No instance's name has a dot in it, so that no other instance has these names.
 */
export function openNetworkName(instance: InstanceName): string {
  return `sett-${instance}.open`;
}

/**
 * The network of one agent and the services that it reaches by TLS, for these alone. `way`: the
 * agent's name, or that of what is prepared for it.
 */
export function closedNetworkName(instance: InstanceName, way: string): string {
  return `${networkName(instance)}.closed.${way}`;
}

/**
 * A service answers others there. With `agent` it is for one agent alone, so that the service knows
 * who asks, and the connections of one are not those of another.
 */
export function doorVolumeName(instance: InstanceName, door: string, agent?: string): string {
  return `sett-${instance}.${door}${agent === undefined ? "" : `.${agent}`}`;
}

/** A service keeps there what is its alone. */
export function filesVolumeName(instance: InstanceName, service: ServiceName): string {
  return `sett-${instance}.${service}`;
}

/**
 * In memory: the keeper fills it, and the containers of its holder read it. `holder`: an agent's
 * name, or that of what prepares its workspace.
 */
export function secretsVolumeName(instance: InstanceName, holder: string): string {
  return `sett-${instance}.secrets.${holder}`;
}

/** Redis' data. */
export function blackboardVolumeName(instance: InstanceName): string {
  return `sett-${instance}-blackboard`;
}

/** The bodies of model calls. */
export function recordVolumeName(instance: InstanceName): string {
  return `sett-${instance}-record`;
}

/** The sealed log, and the key that signs it. */
export function proofVolumeName(instance: InstanceName): string {
  return `sett-${instance}-proof`;
}

/** The volumes that `sett down` keeps: what the next `sett up` continues with. */
export function keptVolumeNames(instance: InstanceName): string[] {
  // Results that could not be fetched may be with the service of packs.
  return [
    blackboardVolumeName(instance),
    recordVolumeName(instance),
    proofVolumeName(instance),
    filesVolumeName(instance, "packs"),
    // Where the recorder has no volume with the gateway.
    filesVolumeName(instance, "recorder"),
  ];
}

/**
 * The cub with its loader and git, mounted read-only at `/cub` in every agent's container. Named
 * after the image that it is filled from: a volume in use cannot be filled anew.
 */
export function carrierVolumeName(instance: InstanceName, imageId: string): string {
  return `sett-${instance}-cub-${imageId.replace(/^sha256:/, "").slice(0, 12)}`;
}

/** The name of a container while its replacement starts; no agent's name can have a dot. */
export function setAsideName(name: string): string {
  return `${name}.old`;
}

export function isSetAside(name: string): boolean {
  return name.endsWith(".old");
}

/** An agent's own disk, mounted at `/workspace`. */
export function workspaceVolumeName(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}-workspace-${agent}`;
}

/**
 * The disk of the workers in one slot of a scalable agent, counted from 1. No agent's name has a
 * dot in it.
 */
export function workerWorkspaceName(
  instance: InstanceName,
  agent: AgentName,
  slot: number,
): string {
  return `${workspaceVolumeName(instance, agent)}.${slot}`;
}

/**
 * A copy of the commits that agents see, for the containers with this workspace, where they have no
 * folder of the repository.
 */
export function storeVolumeName(workspaceVolume: string): string {
  return `${workspaceVolume}.store`;
}

/** The name of a container that only fills a volume, or gives it an owner, and never runs. */
export function idleName(volume: string, random: string): string {
  return `${volume}.idle-${random}`;
}

/**
 * Whether Sett gives this name to a part with these labels. What a person or a tool has made from a
 * part, such as a copy of a volume, may have all of its labels, and has another name.
 */
export function isNameOf(part: PartLabels, name: string): boolean {
  const { instance } = part;
  const container = isSetAside(name) ? name.slice(0, -".old".length) : name;
  // A container has the labels of the volume that it fills.
  const volume = name.replace(/\.idle-[0-9a-f]+$/, "");
  const after = (start: string) => (volume.startsWith(start) ? volume.slice(start.length) : "");
  switch (part.component) {
    case "network":
      return (
        name === networkName(instance) ||
        name === openNetworkName(instance) ||
        /^[^.]+(?:\.prepare)?$/.test(after(closedNetworkName(instance, "")))
      );
    case "blackboard":
      return volume === blackboardVolumeName(instance);
    case "record":
      return [recordVolumeName(instance), filesVolumeName(instance, "recorder")].includes(volume);
    case "proof":
      return volume === proofVolumeName(instance);
    case "carrier":
      return /^[0-9a-f]{1,12}$/.test(after(carrierVolumeName(instance, "")));
    case "socket":
      return /^[^.]+(?:\.[^.]+(?:\.prepare)?)?$/.test(after(`${networkName(instance)}.`));
    case "secrets":
      return [part.agent, prepareWay(part.agent)].some(
        (holder) => volume === secretsVolumeName(instance, holder),
      );
    case "workspace":
      return /^(?:\.(?:(?:\d+\.)?store|\d+|upper|(?:over|upper)-[0-9a-f]+))?$/.test(
        volume.replace(workspaceVolumeName(instance, part.agent), ""),
      );
    case "layer":
      return [firstLayerName(instance), firstLayerMakerName(instance)].some(
        (start) => volume === start || /^[.-][0-9a-f]{12}-[0-9a-f]+$/.test(after(start)),
      );
    case "examination":
      return /^[-.]examine-[0-9a-f]+(?:\.(?:results|store))?$/.test(after(`sett-${instance}`));
    case "agent":
      return container === agentContainerName(instance, part.agent);
    case "worker":
      return container === workerName(instance, part.agent, part.claim, part.attempt);
    case "sidecar":
      return isWorkerName(workerBeside(container) ?? "", instance, part.agent);
    default:
      return isOfService(part.component, instance, { container, volume });
  }
}

type Names = { container: string; volume: string };

function isOfService(
  component: ServiceName | `${ServiceName}-files`,
  instance: InstanceName,
  { container, volume }: Names,
): boolean {
  const service = serviceNames.find((one) => component === one || component === `${one}-files`);
  if (service === undefined) return false;
  return component === service
    ? container === serviceContainer(instance, service)
    : volume === filesVolumeName(instance, service);
}

/**
 * A checkout that workers share, or what is prepared for them. `key`: a commit, or another hash.
 * `unique`: letters and digits.
 */
export function layerVolumeName(instance: InstanceName, key: string, unique: string): string {
  return `sett-${instance}.layer.${key.slice(0, 12)}-${unique}`;
}

/** The checkout over which agents begin that are not made anew for each grant. */
export function firstLayerName(instance: InstanceName): string {
  return `sett-${instance}.layer`;
}

/** The container that makes it. */
export function firstLayerMakerName(instance: InstanceName): string {
  return `sett-${instance}-layer`;
}

/** It has what is written to an agent's disk that lies over a layer and lasts. */
export function upperVolumeName(instance: InstanceName, agent: AgentName): string {
  return `${workspaceVolumeName(instance, agent)}.upper`;
}

/** The container that makes it. */
export function layerMakerName(instance: InstanceName, key: string, unique: string): string {
  return `sett-${instance}-layer-${key.slice(0, 12)}-${unique}`;
}

/**
 * The container in which a person looks at a grant, and the volumes that go with it. `unique`:
 * letters and digits.
 */
export type ExaminationNames = Record<"container" | "workspace" | "results" | "store", string>;

export function examinationNames(instance: InstanceName, unique: string): ExaminationNames {
  const workspace = `sett-${instance}.examine-${unique}`;
  return {
    container: `sett-${instance}-examine-${unique}`,
    workspace,
    results: `${workspace}.results`,
    store: storeVolumeName(workspace),
  };
}

/** The disk of one worker, over a layer. `upper`: where it is, whatever it lies over. */
export type LayeredName = { workspace: string; upper: string };

export function layeredWorkspaceName(
  instance: InstanceName,
  agent: AgentName,
  unique: string,
): LayeredName {
  const start = workspaceVolumeName(instance, agent);
  return { workspace: `${start}.over-${unique}`, upper: `${start}.upper-${unique}` };
}

/** Undefined for the name of anything else. Both volumes of the worker have it. */
export function layeredWorkspaceOf(name: string): LayeredName | undefined {
  const [, start, unique] = /^(sett-.+)\.(?:over|upper)-([0-9a-f]+)$/.exec(name) ?? [];
  if (start === undefined || unique === undefined) return undefined;
  return { workspace: `${start}.over-${unique}`, upper: `${start}.upper-${unique}` };
}

const ofProcesses = "processes of ";

/** Processes have no Engine with an id: their folder says which they are. */
export function identityOfProcesses(folder: string): string {
  return `${ofProcesses}${folder}`;
}

/** Undefined where it is an Engine's. */
export function folderOfProcesses(identity: string): string | undefined {
  return identity.startsWith(ofProcesses) ? identity.slice(ofProcesses.length) : undefined;
}
