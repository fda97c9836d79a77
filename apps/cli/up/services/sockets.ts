// The sockets by which agents, that have no network, reach Redis, the gateway and the egress proxy.
// Each is in a volume of its own, which an agent sees only if it needs it.
import type { AgentConfig, SettConfig } from "../../../../lib/model/config.ts";
import { reachOf } from "../../../../lib/model/egress.ts";
import type { AgentName } from "../../../../lib/model/ids.ts";
import type { Mount } from "../../../../lib/runtime/container-spec.ts";
import {
  egressVolumeName,
  gatewaySocketVolumeName,
  logsVolumeName,
  openNetworkName,
  redisSocketVolumeName,
  starterVolumeName,
} from "../../../../lib/runtime/names.ts";
import type { PlanInput } from "../plan/plan-input.ts";
import { hasApi } from "./has-api.ts";

type Place = Pick<PlanInput, "instance">;

const folder = "/run/sett";
export const redisSocketFolder = `${folder}/redis`;
export const redisSocket = `${redisSocketFolder}/redis.sock`;
const starterSocketFolder = `${folder}/starter`;
export const starterSocket = `${starterSocketFolder}/starter.sock`;
const logsSocketFolder = `${folder}/logs`;
export const logsSocket = `${logsSocketFolder}/logs.sock`;
export const gatewaySocketFolder = `${folder}/gateway`;
export const gatewaySocket = `${gatewaySocketFolder}/gateway.sock`;
export const egressFolder = `${folder}/egress`;
export const egressSocket = `${egressFolder}/egress.sock`;

export function redisSocketMount({ instance }: Place, access: Access): Mount {
  return {
    kind: "volume",
    volume: redisSocketVolumeName(instance),
    target: redisSocketFolder,
    access,
  };
}

/** The gateway has a folder for each agent with a model, and an agent only its own. */
export function gatewaySocketMount({ instance }: Place, agent: AgentName, access: Access): Mount {
  const target = access === "rw" ? `${gatewaySocketFolder}/${agent}` : gatewaySocketFolder;
  return { kind: "volume", volume: gatewaySocketVolumeName(instance, agent), target, access };
}

export function starterSocketMount({ instance }: Place, access: Access): Mount {
  return {
    kind: "volume",
    volume: starterVolumeName(instance),
    target: starterSocketFolder,
    access,
  };
}

export function logsSocketMount({ instance }: Place, access: Access): Mount {
  return { kind: "volume", volume: logsVolumeName(instance), target: logsSocketFolder, access };
}

/** The proxy has a folder for each agent, and an agent only its own. */
export function egressSocketMount({ instance }: Place, agent: AgentName, access: Access): Mount {
  const target = access === "rw" ? `${egressFolder}/${agent}` : egressFolder;
  return { kind: "volume", volume: egressVolumeName(instance, agent), target, access };
}

/** `rw`: for the service that makes the socket. */
type Access = "ro" | "rw";

/** Who may write to a socket may connect to it, also where its folder is read-only. */
export function socketMountsOf(input: Place, agent: AgentConfig): Mount[] {
  return [
    redisSocketMount(input, "ro"),
    ...(agent.model === undefined ? [] : [gatewaySocketMount(input, agent.name, "ro")]),
    ...(usesProxy(agent) ? [egressSocketMount(input, agent.name, "ro")] : []),
  ];
}

export function networkOf(
  { instance }: Place,
  { network }: AgentConfig,
): { name: string; aliases: string[] } | "none" {
  return network === "direct" ? { name: openNetworkName(instance), aliases: [] } : "none";
}

/** Whether anything of the instance is in the network of what reaches the internet. */
export function hasOpenNetwork(
  config: Pick<SettConfig, "agents" | "services" | "triggers">,
): boolean {
  return (
    config.agents.some(({ network }) => network === "direct") || hasEgress(config) || hasApi(config)
  );
}

export function hasEgress({ agents }: Pick<SettConfig, "agents">): boolean {
  return agents.some(usesProxy);
}

/** Whether an agent reaches anything outside through the egress proxy. */
export function usesProxy(agent: Pick<AgentConfig, "network" | "egress">): boolean {
  return reachOf(agent).length > 0;
}
