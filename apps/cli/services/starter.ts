// The starter of workers: for an instance with an agent that has some. It alone has the Engine, and
// a template for the workers of each such agent.
import { needsWorkers } from "../../../lib/model/agent.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Scale } from "../../../lib/runtime/part-plan.ts";
import { engineHolder } from "./engine-holder.ts";
import { gatewayStopSeconds, serviceResources } from "./limits.ts";
import { defineService } from "./service.ts";

export const starterDoor = { door: "starter", variable: "SETT_STARTER_URL" } as const;

export const starter = defineService({
  name: "starter",
  image: "orchestrator",
  isNeeded: ({ agents }) => agents.some(needsWorkers),
  plan: ({ instance, config }) =>
    engineHolder({
      instance,
      mode: "--starter",
      door: starterDoor.door,
      engine: { kind: "engine", power: "workers", scales: scalesOf(config) },
      resources: serviceResources,
    }),
  ready: "answers",
  starts: "before-orchestrator",
  stops: "after-agents",
  stopSeconds: gatewayStopSeconds,
  sign: { variable: starterDoor.variable },
});

export function scalesOf({ agents }: Pick<SettConfig, "agents">): Scale[] {
  return agents.filter(needsWorkers).map(({ name: agent, replicas, workspace: { prepare } }) => ({
    agent,
    replicas,
    ...withoutUndefined({ prepare }),
  }));
}
