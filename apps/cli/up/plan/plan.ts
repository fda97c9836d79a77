// The plan of `sett up` as data: a configuration in, containers, volumes and networks out
// (docs/internals/containers.md). Pure.
import type { UserWithPassword } from "../../../../lib/blackboard/redis/administration.ts";
import type { AgentName } from "../../../../lib/model/ids.ts";
import type { ServiceName } from "../../../../lib/model/services.ts";
import type { PartKind, PartLabels } from "../../../../lib/runtime/labels.ts";
import { serviceContainer } from "../../../../lib/runtime/names.ts";
import type {
  PartPlan,
  PlannedNetwork,
  PlannedPart,
  Translation,
} from "../../../../lib/runtime/part-plan.ts";
import type { PlanInput } from "../../services/input.ts";
import { rolesOf } from "../../services/notary.ts";
import { redisUsersOf } from "../../services/redis-users.ts";
import { imageOf, type Service } from "../../services/service.ts";
import { services } from "../../services/services.ts";
import { agentPlan } from "./agent-plan.ts";

export type PlannedService = PlannedPart & { service: Service };
export type PlannedAgent = PlannedPart & { agent: AgentName };

export type InstancePlan = {
  networks: PlannedNetwork[];
  /** The services that this instance needs, in the order of the list. */
  services: PlannedService[];
  agents: PlannedAgent[];
  /** Agents that are on demand: `sett up` makes what their workers need, and starts nothing. */
  resting: PlannedAgent[];
  /** The users of Redis. */
  users: UserWithPassword[];
  /** Parts read files of this machine themselves. */
  seesFiles: boolean;
};

/** The parts of an instance with their needs, whatever runs them. */
export function planParts(input: PlanInput): PartPlan[] {
  const labels = (kind: PartKind): PartLabels => ({
    instance: input.instance,
    workspace: input.workspace,
    version: input.version,
    id: input.id,
    ...kind,
  });
  const ofServices = services
    .filter(({ isNeeded }) => isNeeded(input.config))
    .map((service): PartPlan => {
      const { name, plan, stopSeconds } = service;
      const { tag = "", id = "" } = input.images[imageOf(service, input.config)] ?? {};
      const own = {
        name: serviceContainer(input.instance, name),
        image: { tag, id },
        stopTimeoutSeconds: stopSeconds,
      };
      return { ...own, labels: labels({ component: name }), ...plan(input) };
    });
  const ofAgents = input.config.agents.map((agent) =>
    agentPlan(input, agent, labels({ component: "agent", agent: agent.name, role: agent.role })),
  );
  return [...ofServices, ...ofAgents];
}

export function planInstance(input: PlanInput, translation: Translation): InstancePlan {
  const needed = planParts(input);
  const parts = translation.parts(needed);
  const onDemand = new Set(
    input.config.agents.flatMap(({ name, on_demand }) => (on_demand ? [name] : [])),
  );
  const agents = parts.flatMap(({ plan: { labels }, planned }) =>
    labels.component === "agent" ? [{ ...planned, agent: labels.agent }] : [],
  );
  return {
    networks: translation.networks(needed),
    services: services.flatMap((service) =>
      parts.flatMap(({ plan: { labels }, planned }) =>
        labels.component === service.name ? [{ ...planned, service }] : [],
      ),
    ),
    agents: agents.filter(({ agent }) => !onDemand.has(agent)),
    resting: agents.filter(({ agent }) => onDemand.has(agent)).map(withoutOwnWorkspace),
    users: redisUsersOf(input.config, rolesOf(input.config), input.password),
    seesFiles: translation.seesFiles,
  };
}

/** Each of its workers has a workspace of its own, which the starter makes. */
function withoutOwnWorkspace(part: PlannedAgent): PlannedAgent {
  return {
    ...part,
    volumes: part.volumes.filter(({ labels }) => labels.component !== "workspace"),
  };
}

/** Undefined where the instance does without it. */
export function plannedService(
  { services }: Pick<InstancePlan, "services">,
  name: ServiceName,
): PlannedService | undefined {
  return services.find(({ service }) => service.name === name);
}
