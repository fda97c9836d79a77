// The container that holds the secrets of agents: a volume in memory for each agent, which that
// agent's containers read. It runs nothing but a sleep, so that the values outlive a restart of the
// agents. Pure.
import type { AgentConfig, SettConfig } from "../../../../lib/model/config.ts";
import type { AgentName, InstanceName } from "../../../../lib/model/ids.ts";
import type { ContainerSpec, Mount } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { keeperName, secretsVolumeName } from "../../../../lib/runtime/names.ts";
import { gatewayProgram } from "../../instance/programs.ts";
import { mebibyte, serviceResources } from "../../services/limits.ts";
import type { PlanInput, PlannedService } from "../plan/plan-input.ts";

/** Where commands find them. */
const secretsFolder = "/run/secrets";
const ofAgents = "/secrets";

/** For 100 secrets of 64 KiB. */
const volumeBytes = 8 * mebibyte;

const seconds = "2147483647";
const stopSeconds = 1;

export function hasSecrets({ agents }: Pick<SettConfig, "agents">): boolean {
  return agents.some(({ secrets }) => secrets.length > 0);
}

/** Undefined where no agent names a secret. `labelsOf`: of an agent's volume. */
export function planKeeper(
  input: PlanInput,
  labels: PartLabels,
  labelsOf: (agent: AgentName) => PartLabels,
): PlannedService | undefined {
  const agents = input.config.agents
    .filter(({ secrets }) => secrets.length > 0)
    .map(({ name }) => name);
  if (agents.length === 0) return undefined;
  const { instance, repository, images } = input;
  const spec: ContainerSpec = {
    name: keeperName(instance),
    image: images.gateway?.tag ?? "",
    labels,
    entrypoint: ["/bin/sleep", seconds],
    env: Object.fromEntries(
      agents.map((agent) => [`SETT_SECRETS_OF_${agent}`, `${ofAgents}/${agent}`]),
    ),
    user: repository.user,
    mounts: agents.map((agent) => ({
      kind: "volume",
      volume: secretsVolumeName(instance, agent),
      target: `${ofAgents}/${agent}`,
      access: "rw",
    })),
    network: "none",
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 64,
    // The image's own asks for the gateway, which does not run here.
    healthcheck: "none",
    resources: serviceResources,
    restart: "unless-stopped",
    stopTimeoutSeconds: stopSeconds,
  };
  const volumes = agents.map((agent) => ({
    name: secretsVolumeName(instance, agent),
    labels: labelsOf(agent),
    owner: repository.user,
    image: images.cub.tag,
    memoryBytes: volumeBytes,
  }));
  return { spec, program: gatewayProgram, volumes };
}

/** Not writable: what one grant's command changed, the next one would get. */
export function secretMountsOf(instance: InstanceName, { name, secrets }: AgentConfig): Mount[] {
  if (secrets.length === 0) return [];
  return [
    {
      kind: "volume",
      volume: secretsVolumeName(instance, name),
      target: secretsFolder,
      access: "ro",
    },
  ];
}

/** Names and variables, and no value. */
export function secretEnvironment({ secrets }: AgentConfig): Record<string, string> {
  if (secrets.length === 0) return {};
  const variables = Object.fromEntries(
    secrets.map(({ name, variable }) => [name, variable ?? null]),
  );
  return { SETT_SECRETS: JSON.stringify(variables), SETT_SECRETS_DIR: secretsFolder };
}
