// The keeper of secrets: for an instance with an agent that names one. Each such agent has a volume
// in memory, which only its own containers read. The keeper runs nothing but a sleep, so that the
// values outlive a restart of the agents.
import type { AgentConfig } from "../../../lib/model/config.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Mount } from "../../../lib/runtime/container-spec.ts";
import { secretsVolumeName } from "../../../lib/runtime/names.ts";
import { mebibyte, serviceResources } from "./limits.ts";
import { defineService } from "./service.ts";

/** Where commands find them. */
const secretsFolder = "/run/secrets";
const ofAgents = "/secrets";

/** For 100 secrets of 64 KiB. */
const volumeBytes = 8 * mebibyte;

export const keeper = defineService({
  name: "keeper",
  image: "gateway",
  isNeeded: ({ agents }) => agents.some(hasSecrets),
  plan: ({ instance, config, repository }) => {
    const agents = config.agents.filter(hasSecrets).map(({ name }) => name);
    return {
      program: "gateway",
      start: { sleep: "2147483647" },
      env: Object.fromEntries(
        agents.map((agent) => [`SETT_SECRETS_OF_${agent}`, `${ofAgents}/${agent}`]),
      ),
      needs: agents.map((agent) => ({
        kind: "shelf",
        name: secretsVolumeName(instance, agent),
        of: { component: "secrets", agent },
        target: `${ofAgents}/${agent}`,
        memoryBytes: volumeBytes,
      })),
      network: "none",
      user: repository.user,
      resources: serviceResources,
      pidsLimit: 64,
      // The image's own asks for the gateway, which does not run here.
      healthcheck: "none",
    };
  },
  gifts: [
    {
      argument: "--put-secrets",
      value: ({ secrets }) => secrets,
      refusal: "The keeper did not take the secrets of the agents",
      hint: "`docker inspect` of its container may show why. `sett up` tries again.",
      isRenewed: true,
      isInMemory: true,
      // An agent would wait for them.
      isNeededToStart: true,
    },
  ],
  ready: "given",
  starts: "before-agents",
  stops: "after-agents",
  stopSeconds: 1,
  sign: { variable: "SETT_SECRETS" },
});

function hasSecrets({ secrets }: Pick<AgentConfig, "secrets">): boolean {
  return secrets.length > 0;
}

/** Not writable: what one grant's command changed, the next one would get. */
export function secretMountsOf(instance: InstanceName, agent: AgentConfig): Mount[] {
  if (!hasSecrets(agent)) return [];
  const volume = secretsVolumeName(instance, agent.name);
  return [{ kind: "volume", volume, target: secretsFolder, access: "ro" }];
}

/** Names and variables, and no value. */
export function secretEnvironment(agent: AgentConfig): Record<string, string> {
  if (!hasSecrets(agent)) return {};
  const variables = Object.fromEntries(
    agent.secrets.map(({ name, variable }) => [name, variable ?? null]),
  );
  return { SETT_SECRETS: JSON.stringify(variables), SETT_SECRETS_DIR: secretsFolder };
}
