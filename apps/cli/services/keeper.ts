// The keeper of secrets: for an instance with an agent that names one. Each such agent has a volume
// in memory, which only its own containers read, and so has what prepares its workspace. The keeper
// runs nothing but a sleep, so that the values outlive a restart of the agents.
import { type SecretHolder, secretHolders } from "../../../lib/config/resolve-secrets.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Mount } from "../../../lib/runtime/container-spec.ts";
import { secretsVolumeName } from "../../../lib/runtime/names.ts";
import { mebibyte, serviceResources } from "./limits.ts";
import { defineService } from "./service.ts";

/** Commands find them here. */
const secretsFolder = "/run/secrets";
const ofAgents = "/secrets";

/** For 100 secrets of 64 KiB. */
const volumeBytes = 8 * mebibyte;

export const keeper = defineService({
  name: "keeper",
  image: "gateway",
  isNeeded: (config) => secretHolders(config).length > 0,
  plan: ({ instance, config, repository }) => {
    const holders = secretHolders(config);
    return {
      program: "gateway",
      start: { sleep: "2147483647" },
      env: Object.fromEntries(
        holders.map(({ holder }) => [`SETT_SECRETS_OF_${holder}`, `${ofAgents}/${holder}`]),
      ),
      needs: holders.map(({ holder, agent }) => ({
        kind: "shelf",
        name: secretsVolumeName(instance, holder),
        of: { component: "secrets", agent },
        target: `${ofAgents}/${holder}`,
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
  sign: { volume: "secrets" },
});

/** The secrets as a container sees them: the values, not writable, and the names in `env`. */
export type SeenSecrets = { mounts: Mount[]; env: Record<string, string> };

/**
 * `holder`: an agent, or what prepares its workspace. What one grant's command changed, the next
 * one would get. The environment has names and variables, and no value.
 */
export function secretsFor(
  { instance, config }: { instance: InstanceName; config: Pick<SettConfig, "agents"> },
  holder: string,
): SeenSecrets {
  const found = secretHolders(config).find((each) => each.holder === holder);
  if (found === undefined) return { mounts: [], env: {} };
  const volume = secretsVolumeName(instance, holder);
  return {
    mounts: [{ kind: "volume", volume, target: secretsFolder, access: "ro" }],
    env: { SETT_SECRETS: variablesOf(found), SETT_SECRETS_DIR: secretsFolder },
  };
}

function variablesOf({ uses }: SecretHolder): string {
  return JSON.stringify(
    Object.fromEntries(uses.map(({ name, variable }) => [name, variable ?? null])),
  );
}
