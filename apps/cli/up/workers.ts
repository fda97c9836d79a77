// What the orchestrator needs to start workers: the engine's socket, and what a worker of each scalable agent looks like. Only instances
// with such agents get either.
import { stat } from "node:fs/promises";
import type { AgentConfig } from "../../../lib/model/config.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import type { PlannedAgent } from "./plan.ts";
import type { PlanInput } from "./plan-input.ts";

/** The engine's socket on this machine, and the group that may use it. */
export type EngineSocket = { path: string; gid: number };

const usualSocket = "/var/run/docker.sock";

/** Grants to such an agent are worked on by containers made for them. */
export function needsWorkers({ replicas, strategy }: Pick<AgentConfig, "replicas" | "strategy">): boolean {
  return replicas > 1 || strategy === "fresh_per_call";
}

/** Throws `docker-unreachable` where there is no socket that could be given to a container. */
export async function findEngineSocket(env: Readonly<Record<string, string | undefined>>): Promise<EngineSocket> {
  const host = env.DOCKER_HOST ?? "";
  const path = host === "" ? usualSocket : host.startsWith("unix://") ? host.slice("unix://".length) : undefined;
  const hint = "Agents with `replicas` or `strategy: fresh_per_call` need it: the orchestrator starts their workers there.";
  if (path === undefined) {
    throw new SettError("docker-unreachable", `The Docker Engine is reached by ${host}, which is no socket of this machine.`, {
      hint,
    });
  }
  try {
    const { gid } = await stat(path);
    return { path, gid };
  } catch (cause) {
    throw new SettError("docker-unreachable", `The Docker Engine's socket ${path} cannot be used: ${messageOf(cause)}.`, {
      hint,
      cause,
    });
  }
}

/** The orchestrator of an instance with workers: it is still no root, but a member of the socket's group. Another one stays as it is. */
export function withWorkers(
  orchestrator: ContainerSpec,
  { config, engineSocket, images }: Pick<PlanInput, "config" | "engineSocket" | "images">,
  agents: readonly PlannedAgent[],
): ContainerSpec {
  const templates = config.agents.filter(needsWorkers).flatMap(({ name, replicas }) => {
    const planned = agents.find(({ agent }) => agent === name);
    if (planned === undefined) return [];
    // The controller's own, whatever becomes of the tag meanwhile.
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
