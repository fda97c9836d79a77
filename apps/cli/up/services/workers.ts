// What starts workers: the starter, which alone has the Engine's socket and a template for the
// workers of each scalable agent, and the orchestrator's way to it. Only instances with such agents
// have them.
import { needsWorkers } from "../../../../lib/model/agent.ts";
import { inPieces } from "../../../../lib/model/in-pieces.ts";
import type { ContainerSpec, Owner } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { starterName, starterVolumeName } from "../../../../lib/runtime/names.ts";
import type { PlanInput, PlannedAgent, PlannedService } from "../plan/plan-input.ts";
import { planSocketHolder } from "./socket-holder.ts";
import { starterSocket, starterSocketMount } from "./sockets.ts";

/**
 * Without workers the orchestrator stays unchanged. It knows how many workers an agent may have,
 * and nothing of what they are made from.
 */
export function withWorkers(orchestrator: ContainerSpec, input: PlanInput): ContainerSpec {
  const scales = input.config.agents
    .filter(needsWorkers)
    .map(({ name: agent, replicas }) => ({ agent, replicas }));
  if (scales.length === 0) return orchestrator;
  return {
    ...orchestrator,
    env: {
      ...orchestrator.env,
      SETT_WORKERS: JSON.stringify(scales),
      SETT_STARTER_URL: `unix:${starterSocket}`,
    },
    mounts: [...orchestrator.mounts, starterSocketMount(input, "ro")],
  };
}

/** Undefined where no agent has workers. */
export function planStarter(
  input: PlanInput,
  agents: readonly PlannedAgent[],
  { user, labels }: { user: Owner; labels: Record<"starter" | "socket", PartLabels> },
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
  const holder = {
    name: starterName(instance),
    mode: "--starter",
    env: inPieces("SETT_WORKERS", JSON.stringify(templates)),
    labels: { service: labels.starter, socket: labels.socket },
    socket: {
      volume: starterVolumeName(instance),
      path: starterSocket,
      mount: starterSocketMount(input, "rw"),
    },
  };
  return planSocketHolder(input, holder, { engine: engineSocket, user });
}
