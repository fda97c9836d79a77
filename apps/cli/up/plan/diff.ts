// The difference between an instance and its plan, as changes to make. Pure.
import type { AgentName } from "../../../../lib/model/ids.ts";
import type { ContainerSpec } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { isSetAside } from "../../../../lib/runtime/names.ts";
import type { ContainerPart, InstanceParts } from "../../../../lib/runtime/port.ts";
import type { InstancePlan } from "./plan.ts";
import type { PlannedAgent } from "./plan-input.ts";

/**
 * The change of one container of the plan. `name`: its name for people; `found`: the existing
 * container.
 */
export type Change = { name: string; spec: ContainerSpec } & (
  | { kind: "start" }
  | { kind: "keep"; found: ContainerPart }
  /** `isSilent`: it runs, but sends no heartbeat. */
  | { kind: "replace"; found: ContainerPart; isSilent?: true }
);

export type Diff = {
  missingNetworks: InstancePlan["networks"];
  redis: Change;
  orchestrator: Change;
  /** Undefined where the plan has none. */
  gateway: Change | undefined;
  egress: Change | undefined;
  starter: Change | undefined;
  keeper: Change | undefined;
  api: Change | undefined;
  logReader: Change | undefined;
  agents: (Change & Pick<PlannedAgent, "agent" | "workspace">)[];
  /**
   * Containers of agents that are no longer in the plan, workers among them, and services that are
   * not in it.
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
  const planned = new Set<AgentName>(plan.agents.map(({ agent }) => agent));
  const services = [plan.egress, plan.starter, plan.keeper, plan.api, plan.logReader];
  const ofServices = new Set(
    [
      plan.redisSocket,
      plan.gateway?.volumes ?? [],
      ...services.map((service) => service?.volumes ?? []),
    ]
      .flat()
      .map(({ name }) => name),
  );
  const change = (name: string, spec: ContainerSpec): Change => {
    const found = present.find((container) => container.name === spec.name);
    if (found === undefined) return { name, kind: "start", spec };
    return { name, kind: matchesPlan(found, spec) ? "keep" : "replace", spec, found };
  };
  return {
    missingNetworks: plan.networks.filter(
      ({ name }) => !networks.some((network) => network.name === name),
    ),
    redis: change("redis", plan.redis),
    orchestrator: change("orchestrator", plan.orchestrator),
    gateway: plan.gateway && change("gateway", plan.gateway.spec),
    egress: plan.egress && change("egress", plan.egress.spec),
    starter: plan.starter && change("starter", plan.starter.spec),
    keeper: plan.keeper && change("keeper", plan.keeper.spec),
    api: plan.api && change("api", plan.api.spec),
    logReader: plan.logReader && change("log-reader", plan.logReader.spec),
    agents: plan.agents.map(({ agent, workspace, spec }) => ({
      agent,
      workspace,
      ...change(agent, spec),
    })),
    removed: present.filter(({ labels }) =>
      "agent" in labels
        ? !planned.has(labels.agent)
        : isOptional(labels) && plan[optional[labels.component]] === undefined,
    ),
    leftovers: containers.filter(isLeftover),
    unusedVolumes: volumes
      .filter(({ name, labels }) => {
        if (labels.component === "carrier") return name !== plan.carrier.name;
        if (["socket", "secrets", "api-files"].includes(labels.component))
          return !ofServices.has(name);
        return labels.component === "workspace" && !planned.has(labels.agent);
      })
      .map(({ name }) => name),
    unusedNetworks: networks
      .map(({ name }) => name)
      .filter((name) => !plan.networks.some((network) => network.name === name)),
  };
}

/** Services that only some instances have: component → its place in a plan. */
const optional = {
  gateway: "gateway",
  egress: "egress",
  starter: "starter",
  keeper: "keeper",
  api: "api",
  "log-reader": "logReader",
} as const;

function isOptional(
  labels: PartLabels,
): labels is PartLabels & { component: keyof typeof optional } {
  return Object.hasOwn(optional, labels.component);
}

function isLeftover({ name, labels }: ContainerPart): boolean {
  // A container that only prepares a volume has the labels of the volume, and never runs.
  return (
    isSetAside(name) ||
    !(isOptional(labels) || ["redis", "orchestrator", "agent", "worker"].includes(labels.component))
  );
}

/** A container that does not run is replaced: that repairs more than a restart. */
function matchesPlan({ state, labels }: ContainerPart, spec: ContainerSpec): boolean {
  return state.state === "running" && labels.fingerprint === spec.labels.fingerprint;
}
