// What starts workers: the starter, which alone has the Engine's socket and a template for the workers of each scalable agent, and the
// orchestrator's way to it. Only instances with such agents have them.
import { needsWorkers } from "../../../lib/model/agent.ts";
import type { ContainerSpec, Owner } from "../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../lib/runtime/labels.ts";
import { starterName, starterVolumeName } from "../../../lib/runtime/names.ts";
import { orchestratorProgram } from "../instance/programs.ts";
import { gatewayStopSeconds, mebibyte, serviceResources } from "./container-limits.ts";
import { usualSocket } from "./engine-socket.ts";
import type { PlanInput, PlannedAgent, PlannedService } from "./plan-input.ts";
import { starterSocket, starterSocketMount } from "./sockets.ts";

const healthPort = 8080;

/** Without workers the orchestrator stays unchanged. It knows how many workers an agent may have, and nothing of what they are made from. */
export function withWorkers(orchestrator: ContainerSpec, input: PlanInput): ContainerSpec {
  const scales = input.config.agents.filter(needsWorkers).map(({ name: agent, replicas }) => ({ agent, replicas }));
  if (scales.length === 0) return orchestrator;
  return {
    ...orchestrator,
    env: { ...orchestrator.env, SETT_WORKERS: JSON.stringify(scales), SETT_STARTER_URL: `unix:${starterSocket}` },
    mounts: [...orchestrator.mounts, starterSocketMount(input, "ro")],
  };
}

/** It has no network, and is a member of the Engine's group rather than root. Undefined where no agent has workers. */
export function planStarter(
  input: PlanInput,
  agents: readonly PlannedAgent[],
  { user: usual, labels }: { user: Owner; labels: Record<"starter" | "socket", PartLabels> },
): PlannedService | undefined {
  const { config, engineSocket, images, instance } = input;
  const templates = config.agents.filter(needsWorkers).flatMap(({ name, replicas }) => {
    const planned = agents.find(({ agent }) => agent === name);
    if (planned === undefined) return [];
    // The image of the agent's own container, even if the tag names another one later.
    const image = images.agents.get(name)?.id ?? planned.spec.image;
    return [{ agent: name, replicas, spec: { ...planned.spec, image } }];
  });
  if (templates.length === 0 || engineSocket === undefined) return undefined;
  const { uid, gid } = engineSocket;
  const user = uid === undefined ? usual : { uid, gid };
  const spec: ContainerSpec = {
    name: starterName(instance),
    image: images.orchestrator.tag,
    labels: labels.starter,
    command: ["--starter"],
    env: {
      SETT_INSTANCE_NAME: instance,
      SETT_WORKERS: JSON.stringify(templates),
      SETT_SOCKET: starterSocket,
      SETT_HEALTH_PORT: String(healthPort),
    },
    user,
    groups: [gid],
    mounts: [
      starterSocketMount(input, "rw"),
      { kind: "bind", path: engineSocket.path, target: usualSocket, access: "rw" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 16 * mebibyte },
    ],
    network: "none",
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 512,
    resources: serviceResources,
    restart: "unless-stopped",
    stopTimeoutSeconds: gatewayStopSeconds,
  };
  const socket = { name: starterVolumeName(instance), labels: labels.socket, owner: user, image: images.cub.tag };
  return { spec, program: orchestratorProgram, volumes: [socket] };
}
