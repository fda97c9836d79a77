// The difference between an instance and its plan, as changes to make. Pure.
import type { AgentName } from "../../../../lib/model/ids.ts";
import { isServiceName, type ServiceName } from "../../../../lib/model/services.ts";
import type { ContainerSpec } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { isSetAside, workspaceVolumeName } from "../../../../lib/runtime/names.ts";
import type { ContainerPart, InstanceParts } from "../../../../lib/runtime/port.ts";
import type { InstancePlan, PlannedAgent, PlannedService } from "./plan.ts";

/**
 * The change of one container of the plan. `name`: its name for people; `found`: the existing
 * container.
 */
export type Change = { name: string; spec: ContainerSpec } & (
  | { kind: "start" }
  | { kind: "keep"; found: ContainerPart }
  /** `isSilent`: it runs, but does not answer. */
  | { kind: "replace"; found: ContainerPart; isSilent?: true }
);

export type ServiceChange = Change & { planned: PlannedService };
export type AgentChange = Change & { planned: PlannedAgent };

export type Diff = {
  missingNetworks: InstancePlan["networks"];
  services: ServiceChange[];
  agents: AgentChange[];
  /**
   * Containers of agents that are no longer in the plan, workers among them, and services that are
   * not in it; and workers that last, of agents that have changed.
   */
  removed: ContainerPart[];
  /**
   * Containers that were set aside by this `sett up` or by a killed one, and temporary containers
   * of a killed one.
   */
  leftovers: ContainerPart[];
  /** Names of volumes and networks that the plan does not use. */
  unusedVolumes: string[];
  unusedNetworks: string[];
};

export function diffOf(plan: InstancePlan, { containers, networks, volumes }: InstanceParts): Diff {
  const present = containers.filter((container) => !isLeftover(container));
  const agents = new Set<AgentName>(plan.agents.map(({ agent }) => agent));
  const services = new Set<ServiceName>(plan.services.map(({ service }) => service.name));
  const resting = new Map(plan.resting.map((part) => [part.agent, part]));
  const used = new Set(
    [...plan.services, ...plan.agents, ...plan.resting].flatMap((part) =>
      part.volumes.map(({ name }) => name),
    ),
  );
  // A worker that lasts would go on with what its agent was before; others end with their grant.
  const isOld = (part: ContainerPart) =>
    part.env.SETT_WORKER_IDLE !== undefined && isOldWorker(plan, part);
  // Also that of an agent without files, whose disk cannot be mounted without its layer.
  const isUnderDisk = volumes.some(
    ({ labels, isLaid }) =>
      isLaid === true && labels.component === "workspace" && agents.has(labels.agent),
  );
  const isPlanned = (labels: PartLabels) => {
    if (labels.component === "agent") return agents.has(labels.agent);
    if ("agent" in labels) return agents.has(labels.agent) || resting.has(labels.agent);
    return isServiceName(labels.component) && services.has(labels.component);
  };
  const change = (name: string, spec: ContainerSpec): Change => {
    const found = present.find((container) => container.name === spec.name);
    if (found === undefined) return { name, kind: "start", spec };
    return { name, kind: matchesPlan(found, spec) ? "keep" : "replace", spec, found };
  };
  return {
    missingNetworks: plan.networks.filter(
      ({ name }) => !networks.some((network) => network.name === name),
    ),
    services: plan.services.map((planned) => ({
      planned,
      ...change(planned.service.name, planned.spec),
    })),
    agents: plan.agents.map((planned) => ({ planned, ...change(planned.agent, planned.spec) })),
    removed: present.filter((part) => !isPlanned(part.labels) || isOld(part)),
    leftovers: containers.filter(isLeftover),
    unusedVolumes: volumes
      .filter(({ name, labels }) => {
        // The disks of workers are no part of the plan.
        if (labels.component === "workspace" && !resting.has(labels.agent))
          return !agents.has(labels.agent);
        if (labels.component === "workspace")
          return name === workspaceVolumeName(labels.instance, labels.agent);
        // The starter knows which of its layers are in use.
        if (labels.component === "layer")
          return !services.has("starter") && !used.has(name) && !isUnderDisk;
        return !isKept(labels) && !used.has(name);
      })
      .map(({ name }) => name),
    unusedNetworks: networks
      .map(({ name }) => name)
      .filter((name) => !plan.networks.some((network) => network.name === name)),
  };
}

function isOldWorker({ agents, resting }: InstancePlan, { labels }: ContainerPart): boolean {
  if (labels.component !== "worker") return false;
  const { agent, fingerprint } = labels;
  const planned = [...resting, ...agents].find((part) => part.agent === agent);
  return planned?.spec.labels.fingerprint !== fingerprint;
}

/** The agents of which a worker of before is still at work on its grant. */
export function agentsOfOldWorkers(
  plan: InstancePlan,
  containers: readonly ContainerPart[],
): Set<AgentName> {
  const old = containers.filter((part) => isOldWorker(plan, part) && part.state.state !== "exited");
  return new Set(old.flatMap(({ labels }) => ("agent" in labels ? [labels.agent] : [])));
}

/** The data of an instance stays when sett.yml no longer names the service that writes it. */
function isKept({ component }: PartLabels): boolean {
  return component === "blackboard" || component === "record" || component === "proof";
}

/** A container that only prepares a volume has the labels of the volume, and never runs. */
function isLeftover({ name, labels: { component } }: ContainerPart): boolean {
  return (
    isSetAside(name) ||
    !(isServiceName(component) || ["agent", "worker", "sidecar"].includes(component))
  );
}

/** A container that does not run is replaced: that repairs more than a restart. */
function matchesPlan({ state, labels }: ContainerPart, spec: ContainerSpec): boolean {
  return state.state === "running" && labels.fingerprint === spec.labels.fingerprint;
}
