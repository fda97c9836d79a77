// The container of the egress proxy; only where an agent has `egress` or `network: open`. It has no
// key, no password and no data of the instance. Pure.
import { reachOf } from "../../../../lib/model/egress.ts";
import type { ContainerSpec, Owner } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { egressName, egressVolumeName, openNetworkName } from "../../../../lib/runtime/names.ts";
import { gatewayProgram } from "../../instance/programs.ts";
import { gatewayStopSeconds, mebibyte, serviceResources } from "../../services/limits.ts";
import type { PlanInput, PlannedService } from "../plan/plan-input.ts";
import { gatewayPort, hostAlias } from "./gateway-spec.ts";
import { egressFolder, egressSocketMount, usesProxy } from "./sockets.ts";

const egressUser: Owner = { uid: 10001, gid: 10001 };

/** `labels`: of the container, and of each agent's socket. */
export function planEgress(
  input: PlanInput,
  labels: Record<"egress" | "socket", PartLabels>,
): PlannedService {
  const agents = input.config.agents.filter(usesProxy);
  const machine = input.machineNetworks ?? [];
  const spec: ContainerSpec = {
    name: egressName(input.instance),
    image: input.images.gateway?.tag ?? "",
    labels: labels.egress,
    command: ["--egress"],
    env: {
      SETT_INSTANCE_NAME: input.instance,
      SETT_EGRESS: JSON.stringify(
        Object.fromEntries(agents.map((agent) => [agent.name, reachOf(agent)])),
      ),
      ...(machine.length > 0 && { SETT_EGRESS_MACHINE: JSON.stringify(machine) }),
      SETT_SOCKETS_DIR: egressFolder,
      SETT_HEALTH_PORT: String(gatewayPort),
    },
    user: egressUser,
    mounts: [
      ...agents.map(({ name }) => egressSocketMount(input, name, "rw")),
      { kind: "tmpfs", target: "/tmp", sizeBytes: 16 * mebibyte },
    ],
    // Not that of Redis and the orchestrator: a mistake in the proxy would lead nowhere but
    // outside.
    network: { name: openNetworkName(input.instance), aliases: [] },
    hostAlias,
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 512,
    resources: serviceResources,
    restart: "unless-stopped",
    stopTimeoutSeconds: gatewayStopSeconds,
  };
  const volumes = agents.map(({ name }) => ({
    name: egressVolumeName(input.instance, name),
    labels: labels.socket,
    owner: egressUser,
    image: input.images.cub.tag,
  }));
  return { spec, program: gatewayProgram, volumes };
}
