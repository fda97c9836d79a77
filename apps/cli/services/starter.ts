// The starter of workers: for an instance with an agent that has some. It alone has the Engine, and
// a template for the workers of each such agent.
import { needsWorkers } from "../../../lib/model/agent.ts";
import { prepareWay } from "../../../lib/model/prepare.ts";
import type { Proofs, Scale } from "../../../lib/runtime/part-plan.ts";
import { engineHolder } from "./engine-holder.ts";
import type { PlanInput } from "./input.ts";
import { secretsFor } from "./keeper.ts";
import { gatewayStopSeconds, serviceResources } from "./limits.ts";
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

export function scalesOf(input: Pick<PlanInput, "config" | "instance">): Scale[] {
  const agents = input.config.agents.filter(needsWorkers);
  return agents.map(({ name: agent, replicas, workspace: { prepare } }) => ({
    ...{ agent, replicas },
    ...(prepare && { prepare, secrets: secretsFor(input, prepareWay(agent)) }),
  }));
}
