// The service of forges: for an instance with an agent that makes pull requests. It alone has the
// tokens, which come into a folder of its own when it runs; no agent reaches it.
import type { SettConfig } from "../../../lib/model/config.ts";
import { filesVolumeName } from "../../../lib/runtime/names.ts";
import type { Need } from "../../../lib/runtime/part-plan.ts";
import { reachesRedis, redisTimes, seesRepository, temporaryFolder } from "./environment.ts";
import type { PlanInput } from "./input.ts";
import { gatewayStopSeconds, watchingResources } from "./limits.ts";
import { packsOfApi } from "./packs.ts";
import { passwordFor } from "./redis-users.ts";
import { defineService } from "./service.ts";
import { certificatesOut, wayOut } from "./way-out.ts";

const filesDir = "/files";
const secretsVariable = "SETT_HOOK_SECRETS_DIR";

export const forge = defineService({
  name: "forge",
  image: "api",
  isNeeded: hasForges,
  plan: (input) => ({
    program: "api",
    start: { args: ["--forge"] },
    env: environmentOf(input),
    needs: [
      reachesRedis(input, { role: "person" }),
      filesOf(input),
      { kind: "kept-secrets", target: "/run/secrets", variable: "SETT_KEPT_SECRETS_DIR" },
      temporaryFolder(256),
      ...(input.api === undefined ? [] : [seesRepository(input.api, filesDir, [])]),
      ...packsOfApi(input),
      ...certificatesOut(input.config),
    ],
    network: "open",
    reachesMachine: true,
    healthPort: 8080,
    user: input.repository.user,
    resources: watchingResources,
    pidsLimit: 512,
  }),
  gifts: [
    {
      argument: "--put-secrets",
      value: ({ forges }) => forges,
      refusal: "The service of forges did not take its tokens",
      hint: "`sett logs forge` may show why.",
      isRenewed: true,
      isInMemory: false,
      isNeededToStart: true,
    },
  ],
  ready: "answers",
  starts: "last",
  stops: "first",
  stopSeconds: gatewayStopSeconds,
  sign: { volume: "forge-files" },
});

export function hasForges({ builtIn }: Pick<SettConfig, "builtIn">): boolean {
  return builtIn.some(({ kind }) => kind === "forge");
}

/** It has the names of secrets, and not their values. */
function environmentOf({ instance, config }: PlanInput): Record<string, string> {
  const agents = config.builtIn.map(({ name, forge: of, pull_request, accounts }) => ({
    ...{ name, forge: of, pull_request, accounts },
  }));
  return {
    SETT_INSTANCE_NAME: instance,
    ...redisTimes(config),
    ...wayOut(config),
    SETT_FORGES: JSON.stringify({ forges: config.forges, agents }),
  };
}

function filesOf({ instance, password }: PlanInput): Need {
  return {
    kind: "files",
    name: filesVolumeName(instance, "forge"),
    of: { component: "forge-files" },
    target: filesDir,
    secrets: { folder: "tokens", variable: secretsVariable },
    commits: "SETT_RESULTS_DIR",
    // The page has no sessions with it.
    lasting: {
      variable: "SETT_API_SESSION_KEY",
      value: passwordFor(password, { role: "person" }),
    },
  };
}
