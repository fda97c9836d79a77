// The names of the parts of an instance (docs/internals/containers.md#names-and-labels).
import type { AgentName, ClaimId, InstanceName } from "../model/ids.ts";

export function redisName(instance: InstanceName): string {
  return `sett-${instance}-redis`;
}

export function orchestratorName(instance: InstanceName): string {
  return `sett-${instance}-orchestrator`;
}

/** It alone has the providers' keys. Only an instance with `models` has one. */
export function gatewayName(instance: InstanceName): string {
  return `sett-${instance}-gateway`;
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
 * What `devcontainer` builds, of which the image of the agent is made; it has this name only
 * meanwhile.
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

/** Of Sett's own parts. */
export function networkName(instance: InstanceName): string {
  return `sett-${instance}`;
}

/**
 * Of agents with `network: direct`, and of the egress proxy; none of them reaches another. No
 * instance's name has a dot in it, so that no other instance has these names.
 */
export function openNetworkName(instance: InstanceName): string {
  return `sett-${instance}.open`;
}

/** Where Redis has its socket, which is an agent's way to it. */
export function redisSocketVolumeName(instance: InstanceName): string {
  return `sett-${instance}.redis`;
}

/**
 * Where the gateway has a socket for one agent alone, so that the connections of one are not those
 * of another.
 */
export function gatewaySocketVolumeName(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}.gateway.${agent}`;
}

/** Where the egress proxy has a socket for one agent alone, by which it knows who asks. */
export function egressVolumeName(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}.egress.${agent}`;
}

/** Where the starter of workers has its socket, which the orchestrator alone sees. */
export function starterVolumeName(instance: InstanceName): string {
  return `sett-${instance}.starter`;
}

/** It holds the secrets of agents in memory. Only an instance with `secrets` has one. */
export function keeperName(instance: InstanceName): string {
  return `sett-${instance}-keeper`;
}

/** The secrets of one agent, in memory: the keeper fills it, and the agent's containers read it. */
export function secretsVolumeName(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}.secrets.${agent}`;
}

/** The API and its page. Only an instance with `services.api` has one. */
export function apiName(instance: InstanceName): string {
  return `sett-${instance}-api`;
}

/** The certificate of the API and its key, and commits of agents that it has read. */
export function apiVolumeName(instance: InstanceName): string {
  return `sett-${instance}.api`;
}

/** It has the Engine's socket, and gives the API the logs of the instance's parts. */
export function logReaderName(instance: InstanceName): string {
  return `sett-${instance}-log-reader`;
}

/** Where the reader of logs has its socket, which the API alone sees. */
export function logsVolumeName(instance: InstanceName): string {
  return `sett-${instance}.logs`;
}

/**
 * It alone starts workers, for which it has the Engine's socket. Only an instance with workers has
 * one.
 */
export function starterName(instance: InstanceName): string {
  return `sett-${instance}-starter`;
}

/** Only an instance with an agent that has `egress` has one. */
export function egressName(instance: InstanceName): string {
  return `sett-${instance}-egress`;
}

/** Redis' data. */
export function blackboardVolumeName(instance: InstanceName): string {
  return `sett-${instance}-blackboard`;
}

/** The bodies of model calls. */
export function recordVolumeName(instance: InstanceName): string {
  return `sett-${instance}-record`;
}

/** The volumes that `sett down` keeps: what the next `sett up` continues with. */
export function keptVolumeNames(instance: InstanceName): string[] {
  return [blackboardVolumeName(instance), recordVolumeName(instance)];
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
