// The starter of workers: for an instance with an agent that has some. It alone has the Engine, and
// a template for the workers of each such agent.
import { needsWorkers, worksItself } from "../../../lib/model/agent.ts";
import type { AgentConfig } from "../../../lib/model/config.ts";
import { prepareWay } from "../../../lib/model/prepare.ts";
import type { Sidecar } from "../../../lib/model/sidecar.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { PlannedSidecar, Proofs, Scale } from "../../../lib/runtime/part-plan.ts";
import { engineHolder } from "./engine-holder.ts";
import type { PlanInput } from "./input.ts";
import { secretsFor } from "./keeper.ts";
import { gatewayStopSeconds, serviceResources, sidecarResources } from "./limits.ts";
import { proofFor } from "./reach.ts";
import { defineService } from "./service.ts";

export const starterDoor = { door: "starter", variable: "SETT_STARTER_URL" } as const;

export const starter = defineService({
  name: "starter",
  image: "orchestrator",
  isNeeded: ({ agents }) => agents.some(needsWorkers),
  plan: (input) =>
    engineHolder({
      instance: input.instance,
      mode: "--starter",
      door: starterDoor.door,
      ...withoutUndefined({ key: input.doors?.starter?.key }),
      engine: {
        kind: "engine",
        power: "workers",
        scales: scalesOf(input),
        proofs: proofsOf(input),
      },
      resources: serviceResources,
    }),
  ready: "answers",
  starts: "before-orchestrator",
  stops: "after-agents",
  stopSeconds: gatewayStopSeconds,
  sign: { variable: starterDoor.variable },
});

/** For what is prepared for the agents. */
function proofsOf({ config, doors }: Pick<PlanInput, "config" | "doors">): Proofs {
  return new Map(
    config.agents.flatMap(({ name }) => {
      const proof = proofFor({ doors }, "egress", prepareWay(name));
      return proof === undefined ? [] : [[name, proof] as const];
    }),
  );
}

/**
 * A place that all agents share is not held for long by a worker that rests, and not for ever by
 * one whose agent always has more work.
 */
const maxIdleWithLimitMs = 10_000;
const turnWithLimitMs = 60_000;

function lasting(
  agent: Pick<AgentConfig, "strategy" | "on_demand" | "idle_ms">,
  limit: number | undefined,
): Pick<Scale, "idleMs" | "turnMs" | "beside"> {
  if (agent.strategy !== "reuse") return {};
  const beside = worksItself(agent) ? 1 : 0;
  if (limit === undefined) return { idleMs: agent.idle_ms, beside };
  const idleMs = Math.min(agent.idle_ms, maxIdleWithLimitMs);
  return { idleMs, turnMs: turnWithLimitMs, beside };
}

export function scalesOf(
  input: Pick<PlanInput, "config" | "instance" | "images" | "machine">,
): Scale[] {
  const agents = input.config.agents.filter(needsWorkers);
  return agents.map(({ name: agent, workspace: { prepare }, ...more }) => ({
    ...{ agent, replicas: more.replicas },
    ...lasting(more, input.config.limits.workers),
    ...(prepare && { prepare, secrets: secretsFor(input, prepareWay(agent)) }),
    ...(more.services.length > 0 && { sidecars: more.services.map(sidecarOf(input)) }),
  }));
}

function sidecarOf({ images, machine }: Pick<PlanInput, "images" | "machine">) {
  return ({ image, environment, ready_ms, limits, ...service }: Sidecar): PlannedSidecar => ({
    ...withoutUndefined(service),
    image: images.beside?.get(image) ?? { tag: image, id: image },
    env: environment,
    readyMs: ready_ms,
    resources: sidecarResources(limits, machine),
    pidsLimit: limits.pids,
  });
}
