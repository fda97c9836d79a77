// What the orchestrator needs to start workers: the engine's socket, and a template for the workers of each scalable agent. Only instances
// with such agents have them.
import { needsWorkers } from "../../../lib/model/agent.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { usualSocket } from "./engine-socket.ts";
import type { PlanInput, PlannedAgent } from "./plan-input.ts";

/**
 * The orchestrator of an instance with workers is a member of the socket's group, and still not root. Without workers it stays unchanged.
 */
export function withWorkers(
  orchestrator: ContainerSpec,
  { config, engineSocket, images }: Pick<PlanInput, "config" | "engineSocket" | "images">,
  agents: readonly PlannedAgent[],
): ContainerSpec {
  const templates = config.agents.filter(needsWorkers).flatMap(({ name, replicas }) => {
    const planned = agents.find(({ agent }) => agent === name);
    if (planned === undefined) return [];
    // The image of the agent's own container, even if the tag names another one later.
    const image = images.agents.get(name)?.id ?? planned.spec.image;
    return [{ agent: name, replicas, spec: { ...planned.spec, image } }];
  });
  if (templates.length === 0 || engineSocket === undefined) return orchestrator;
  return {
    ...orchestrator,
    env: { ...orchestrator.env, SETT_WORKERS: JSON.stringify(templates) },
    mounts: [...orchestrator.mounts, { kind: "bind", path: engineSocket.path, target: usualSocket, access: "rw" }],
    groups: [engineSocket.gid],
  };
}
