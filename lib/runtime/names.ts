// What the parts of an instance are called (DESIGN §10).
import type { AgentName, ClaimId, InstanceName } from "../model/ids.ts";

export function redisName(instance: InstanceName): string {
  return `sett-${instance}-redis`;
}

export function orchestratorName(instance: InstanceName): string {
  return `sett-${instance}-orchestrator`;
}

export function agentContainerName(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}-agent-${agent}`;
}

/** The image that is built for an agent. */
export function agentImageTag(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}-agent-${agent}:latest`;
}

/** Of any agent of this instance; perhaps also of one whose name begins like it, which only the label tells apart. */
export function isAgentImageTag(instance: InstanceName, tag: string): boolean {
  return tag.startsWith(`sett-${instance}-agent-`);
}

/** The claim's first eight characters and the attempt tell the workers of one agent apart. */
export function workerName(instance: InstanceName, agent: AgentName, claim: ClaimId, attempt: number): string {
  return `sett-${instance}-worker-${agent}-${claim.slice(0, 8)}-${attempt}`;
}

export function networkName(instance: InstanceName): string {
  return `sett-${instance}`;
}

/** Redis' data. */
export function blackboardVolumeName(instance: InstanceName): string {
  return `sett-${instance}-blackboard`;
}

/** The cub with its loader and git, mounted read-only at `/cub` in every agent's container. */
export function carrierVolumeName(instance: InstanceName): string {
  return `sett-${instance}-cub`;
}

/** An agent's own disk, mounted at `/workspace`. */
export function workspaceVolumeName(instance: InstanceName, agent: AgentName): string {
  return `sett-${instance}-workspace-${agent}`;
}
