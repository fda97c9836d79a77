// The recorder, which alone keeps what commands have printed on the record's volume. Agents can add
// to it, and read nothing.
import { AgentName } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { filesVolumeName, recordVolumeName } from "../../../lib/runtime/names.ts";
import type { Need } from "../../../lib/runtime/part-plan.ts";
import { temporaryFolder } from "./environment.ts";
import { hasApi } from "./has-api.ts";
import type { PlanInput } from "./input.ts";
import { gatewayStopSeconds, recorderResources } from "./limits.ts";
import { proofFor, serves } from "./reach.ts";
import { defineService, type ServiceConfig } from "./service.ts";

const recordDir = "/record";
const door = "recorder";
const variable = "SETT_RECORDER_URL";
/** The API's own way. No agent can have the name of a service. */
const reader = AgentName.parse("api");

export const recorder = defineService({
  name: "recorder",
  image: "orchestrator",
  isNeeded: keepsOutput,
  // It runs as the repository's owner, as the gateway does, which writes to the same volume.
  plan: (input) => {
    const { instance, config, repository } = input;
    // In whatever order sett.yml has them.
    const agents = config.agents.map(({ name }) => name).toSorted();
    const ways = hasApi(config) ? [...agents, reader] : agents;
    return {
      program: "orchestrator",
      start: { args: ["--recorder"] },
      env: {
        SETT_INSTANCE_NAME: instance,
        SETT_RECORD_DIR: recordDir,
        SETT_RECORDER_AGENTS: JSON.stringify(agents),
        ...(hasApi(config) && { SETT_RECORDER_READER: reader }),
        SETT_OUTPUT_BYTES: String(config.limits.output_bytes),
      },
      needs: [
        {
          kind: "shelf",
          name: volumeFor(input),
          of: { component: "record" },
          target: recordDir,
        },
        serves(input, door, ways),
        temporaryFolder(16),
      ],
      network: "none",
      healthPort: 8080,
      user: repository.user,
      resources: recorderResources,
      pidsLimit: 512,
    };
  },
  ready: "answers",
  starts: "any-time",
  stops: "after-agents",
  stopSeconds: gatewayStopSeconds,
  sign: { variable },
  isOfAgents: true,
});

/** With `limits.output: 0` nothing is kept. */
export function keepsOutput({ agents, limits }: ServiceConfig): boolean {
  return agents.length > 0 && limits.output_bytes > 0;
}

/** Nodes apart cannot share the gateway's volume. */
function volumeFor({ instance, doors }: Pick<PlanInput, "instance" | "doors">): string {
  return doors?.recorder === undefined
    ? recordVolumeName(instance)
    : filesVolumeName(instance, "recorder");
}

/** The way of an agent, or of the API, to the recorder. */
export function reachesRecorder(
  { config, doors }: Pick<PlanInput, "config" | "doors">,
  agent: AgentName = reader,
): Need[] {
  if (!keepsOutput(config)) return [];
  const proof = proofFor({ doors }, door, agent);
  return [{ kind: "reach", door, agent, variable, ...withoutUndefined({ proof }) }];
}
