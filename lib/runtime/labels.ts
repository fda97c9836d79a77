// The labels of containers, volumes and networks, which are Sett's only registry
// (docs/internals/containers.md#names-and-labels).
import { AgentName, ClaimId, GoalId, InstanceName } from "../model/ids.ts";
import { isServiceName, type ServiceName } from "../model/services.ts";
import { withoutUndefined } from "../model/without-undefined.ts";

/**
 * These are of no service alone. `record`: the bodies of model calls; `carrier`: the cub and what
 * it runs; `socket`: where a service answers others; `layer`: a checkout that agents share;
 * `examination`: a look at a grant beside the record; `proof`: the sealed log.
 */
const shared = [
  "network",
  "blackboard",
  "record",
  "proof",
  "carrier",
  "socket",
  "layer",
  "examination",
] as const;

/** The purpose of a container, volume or network: `api-files` is a volume of the API. */
export type PartKind =
  | { component: WithoutAgent }
  | { component: "agent"; agent: AgentName; role: string }
  | { component: "workspace" | "secrets" | "sidecar"; agent: AgentName }
  | {
      component: "worker";
      agent: AgentName;
      role: string;
      goal: GoalId;
      claim: ClaimId;
      attempt: number;
    };

/**
 * `workspace` is the path, on the host, of the folder that holds sett.yml; `version` is Sett's own.
 * `fingerprint` identifies all that a container was made from: a container with the same
 * fingerprint need not be replaced. `id`: of the instance, made at its first `sett up`
 * (lib/runtime/instance-id.ts). On an Engine, what has none is not Sett's.
 */
export type PartLabels = {
  instance: InstanceName;
  workspace: string;
  version: string;
  fingerprint?: string;
  id?: string;
} & PartKind;

export const instanceLabel = "dev.sett.instance";
const workspaceLabel = "dev.sett.workspace";
const versionLabel = "dev.sett.version";
export const fingerprintLabel = "dev.sett.fingerprint";
export const idLabel = "dev.sett.id";
/**
 * It is new for each container, so that one from an image of ours (`docker commit`) is not taken
 * for ours.
 */
export const madeLabel = "dev.sett.made";
export const componentLabel = "dev.sett.component";
const agentLabel = "dev.sett.agent";
const roleLabel = "dev.sett.role";
const goalLabel = "dev.sett.goal";
const claimLabel = "dev.sett.claim";
const attemptLabel = "dev.sett.attempt";

/** The labels as the container runtime stores them. */
export function writeLabels(part: PartLabels): Record<string, string> {
  return {
    [instanceLabel]: part.instance,
    [workspaceLabel]: part.workspace,
    [versionLabel]: part.version,
    ...(part.fingerprint !== undefined && { [fingerprintLabel]: part.fingerprint }),
    ...(part.id !== undefined && { [idLabel]: part.id }),
    [componentLabel]: part.component,
    ...kindLabels(part),
  };
}

function kindLabels(part: PartKind): Record<string, string> {
  switch (part.component) {
    case "workspace":
    case "secrets":
    case "sidecar":
      return { [agentLabel]: part.agent };
    case "agent":
      return { [agentLabel]: part.agent, [roleLabel]: part.role };
    case "worker":
      return {
        [agentLabel]: part.agent,
        [roleLabel]: part.role,
        [goalLabel]: part.goal,
        [claimLabel]: part.claim,
        [attemptLabel]: String(part.attempt),
      };
    default:
      return {};
  }
}

/** The labels of another part of the same instance. */
export function labelsFor(
  { instance, workspace, version, id }: PartLabels,
  kind: PartKind,
): PartLabels {
  return { instance, workspace, version, ...(id !== undefined && { id }), ...kind };
}

/** From the stored labels; undefined when they are not a complete set of Sett's. */
export function readLabels(labels: Record<string, string>): PartLabels | undefined {
  const instance = InstanceName.safeParse(labels[instanceLabel]);
  const kind = readKind(labels);
  if (!instance.success || kind === undefined) return undefined;
  return {
    instance: instance.data,
    workspace: labels[workspaceLabel] ?? "",
    version: labels[versionLabel] ?? "",
    ...withoutUndefined({ fingerprint: labels[fingerprintLabel], id: labels[idLabel] }),
    ...kind,
  };
}

function readKind(labels: Record<string, string>): PartKind | undefined {
  const component = labels[componentLabel];
  switch (component) {
    case "workspace":
    case "secrets":
    case "sidecar": {
      const agent = AgentName.safeParse(labels[agentLabel]);
      return agent.success ? { component, agent: agent.data } : undefined;
    }
    case "agent": {
      const agent = AgentName.safeParse(labels[agentLabel]);
      return agent.success
        ? { component, agent: agent.data, role: labels[roleLabel] ?? agent.data }
        : undefined;
    }
    case "worker": {
      const agent = AgentName.safeParse(labels[agentLabel]);
      const goal = GoalId.safeParse(labels[goalLabel]);
      const claim = ClaimId.safeParse(labels[claimLabel]);
      const attempt = Number(labels[attemptLabel]);
      if (!agent.success || !goal.success || !claim.success || !Number.isInteger(attempt))
        return undefined;
      const role = labels[roleLabel] ?? agent.data;
      return { component, agent: agent.data, role, goal: goal.data, claim: claim.data, attempt };
    }
    case undefined:
      return undefined;
    default:
      return isWithoutAgent(component) ? { component } : undefined;
  }
}

type WithoutAgent = ServiceName | `${ServiceName}-files` | (typeof shared)[number];

function isWithoutAgent(word: string): word is WithoutAgent {
  return shared.some((one) => one === word) || isServiceName(word.replace(/-files$/, ""));
}
