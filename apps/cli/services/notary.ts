// The notary, which seals the log: for an instance with `proof: on`. It alone has the key.
import type { SettConfig } from "../../../lib/model/config.ts";
import { proofVolumeName } from "../../../lib/runtime/names.ts";
import { reachesRedis, redisTimes, temporaryFolder } from "./environment.ts";
import { hasModels } from "./gateway.ts";
import { gatewayStopSeconds, notaryResources } from "./limits.ts";
import { defineService } from "./service.ts";

const proofDir = "/proof";

export const notary = defineService({
  name: "notary",
  image: "orchestrator",
  isNeeded: ({ proof }) => proof.mode !== "off",
  plan: (input) => ({
    program: "orchestrator",
    start: { args: ["--notary"] },
    env: {
      SETT_INSTANCE_NAME: input.instance,
      ...redisTimes(input.config),
      SETT_PROOF_DIR: proofDir,
      ...(input.config.proof.key !== undefined && { SETT_PROOF_KEY: input.config.proof.key }),
    },
    needs: [
      {
        kind: "shelf",
        name: proofVolumeName(input.instance),
        of: { component: "proof" },
        target: proofDir,
      },
      reachesRedis(input, { role: "notary" }),
      temporaryFolder(16),
    ],
    network: "instance",
    healthPort: 8080,
    user: input.repository.user,
    resources: notaryResources,
    pidsLimit: 512,
  }),
  ready: "answers",
  starts: "any-time",
  stops: "after-agents",
  stopSeconds: gatewayStopSeconds,
  sign: { volume: "proof" },
});

/** The services that have users of Redis of their own, beside those that each instance has. */
export function rolesOf(config: Pick<SettConfig, "models" | "proof">): ("gateway" | "notary")[] {
  return [
    ...(hasModels(config) ? ["gateway" as const] : []),
    ...(config.proof.mode === "off" ? [] : ["notary" as const]),
  ];
}
