// What has to be done to an instance, as it stands, to bring it to its plan. Pure.
import type { AgentName } from "../../../lib/model/ids.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { isSetAside } from "../../../lib/runtime/names.ts";
import type { ContainerPart, InstanceParts } from "../../../lib/runtime/port.ts";
import type { InstancePlan } from "./plan.ts";
import type { PlannedAgent } from "./plan-input.ts";

/** What becomes of one container of the plan. `name` is what people call it; `found` is what stands in its place. */
export type Change = { name: string; spec: ContainerSpec } & (
  | { kind: "start" }
  | { kind: "keep"; found: ContainerPart }
  /** `isSilent`: it runs, and gives no sign of life. */
  | { kind: "replace"; found: ContainerPart; isSilent?: true }
);

export type Changes = {
  isNetworkMissing: boolean;
  redis: Change;
  orchestrator: Change;
  agents: (Change & Pick<PlannedAgent, "agent" | "workspace">)[];
  /** Containers of agents that are no longer in the plan, workers among them. */
  gone: ContainerPart[];
  /** Containers that were set aside for others, by this `up` or by one that was killed; and what that one has made for a moment only. */
  remains: ContainerPart[];
  /** Names of volumes that nothing in the plan uses. */
  surplusVolumes: string[];
};

export function changesOf(plan: InstancePlan, { containers, networks, volumes }: InstanceParts): Changes {
  const standing = containers.filter((container) => !isRemains(container));
  const planned = new Set<AgentName>(plan.agents.map(({ agent }) => agent));
  const change = (name: string, spec: ContainerSpec): Change => {
    const found = standing.find((container) => container.name === spec.name);
    if (found === undefined) return { name, kind: "start", spec };
    return { name, kind: isAsPlanned(found, spec) ? "keep" : "replace", spec, found };
  };
  return {
    isNetworkMissing: networks.length === 0,
    redis: change("redis", plan.redis),
    orchestrator: change("orchestrator", plan.orchestrator),
    agents: plan.agents.map(({ agent, workspace, spec }) => ({ agent, workspace, ...change(agent, spec) })),
    gone: standing.filter(({ labels }) => "agent" in labels && !planned.has(labels.agent)),
    remains: containers.filter(isRemains),
    surplusVolumes: volumes
      .filter(({ name, labels }) => {
        if (labels.component === "carrier") return name !== plan.carrier.name;
        return labels.component === "workspace" && !planned.has(labels.agent);
      })
      .map(({ name }) => name),
  };
}

function isRemains({ name, labels }: ContainerPart): boolean {
  // One that prepares a volume has the volume's labels, and never runs.
  return isSetAside(name) || !["redis", "orchestrator", "agent", "worker"].includes(labels.component);
}

/** One that does not run is made anew: that mends more than starting it again would. */
function isAsPlanned({ state, labels }: ContainerPart, spec: ContainerSpec): boolean {
  return state.state === "running" && labels.madeFrom === spec.labels.madeFrom;
}
