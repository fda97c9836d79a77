// The API: for an instance with `services.api`, or with `triggers`, which run in it.
//
// Nothing here contains a token or a key: whatever a container is made from can be read with
// `docker inspect`. Of tokens there are digests, and the certificate and the secrets of webhooks
// come into a folder that it alone has, when it runs.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { hookSecrets } from "../../../lib/config/resolve-secrets.ts";
import type { ApiService } from "../../../lib/model/config-api.ts";
import { filesVolumeName } from "../../../lib/runtime/names.ts";
import type { ListeningPort, Need } from "../../../lib/runtime/part-plan.ts";
import { reachesRedis, redisTimes, seesRepository, temporaryFolder } from "./environment.ts";
import { hasApi } from "./has-api.ts";
import type { PlanInput } from "./input.ts";
import { gatewayStopSeconds, watchingResources } from "./limits.ts";
import { reachesLogs } from "./log-reader.ts";
import { packsOfApi } from "./packs.ts";
import { reachesRecorder } from "./recorder.ts";
import { passwordFor } from "./redis-users.ts";
import { defineService } from "./service.ts";
import { certificatesOut, wayOut } from "./way-out.ts";

/** In its container: which port and address of this machine lead to it is not its affair. */
export const apiPort = 8443;

/** The certificate and its key, the secrets of webhooks, and commits of agents. */
const filesDir = "/files";
const certificateVariable = "SETT_API_TLS_CERT";
const hookSecretsVariable = "SETT_HOOK_SECRETS_DIR";

export const api = defineService({
  name: "api",
  image: "api",
  isNeeded: hasApi,
  plan: (input) => ({
    program: "api",
    env: environmentOf(input),
    needs: [
      reachesRedis(input, { role: "person" }),
      ...reachesLogs(input),
      ...reachesRecorder(input),
      filesOf(input),
      ...certificateOf(input),
      temporaryFolder(256),
      ...repositoryOf(input),
      ...packsOfApi(input),
      ...certificatesOut(input.config),
    ],
    // No part reaches another in it: a mistake in the API leads to Redis and to the reader of logs.
    network: "open",
    reachesMachine: true,
    healthPort: 8080,
    ports: portsOf(input.config.services.api),
    user: input.repository.user,
    resources: watchingResources,
    pidsLimit: 512,
  }),
  gifts: [
    {
      argument: "--put-tls",
      value: ({ tls }) => tls,
      refusal: "The API did not take its certificate",
      hint: "`sett logs api` may show why.",
      isRenewed: false,
      isInMemory: false,
      isNeededToStart: true,
      isFile: true,
    },
    {
      argument: "--put-secrets",
      value: ({ hooks }) => hooks,
      refusal: "The API did not take the secrets of its webhooks",
      hint: "`sett logs api` may show why.",
      isRenewed: true,
      isInMemory: false,
      isNeededToStart: true,
      variable: hookSecretsVariable,
    },
  ],
  ready: "answers",
  starts: "last",
  // First, so that it takes no goal that no agent would begin with.
  stops: "first",
  stopSeconds: gatewayStopSeconds,
  sign: { volume: "api-files" },
  isOpenToOthers: { certificate: certificateVariable, setting: "services.api.tls" },
});

function portsOf(api: ApiService | undefined): ListeningPort[] {
  const published = api === undefined ? "no" : { port: api.port, address: api.host };
  return [
    { port: apiPort, published, variables: { port: "SETT_API_PORT", address: "SETT_API_HOST" } },
  ];
}

function environmentOf({ instance, config, api: place }: PlanInput): Record<string, string> {
  const { api } = config.services;
  return {
    SETT_INSTANCE_NAME: instance,
    ...redisTimes(config),
    ...wayOut(config),
    SETT_API_TOKENS: JSON.stringify(place?.tokens ?? []),
    ...place?.telemetry?.variables,
    // With the names of secrets, and not their values.
    ...(config.triggers.length > 0 && { SETT_TRIGGERS: JSON.stringify(config.triggers) }),
    ...(place?.telemetry?.headers !== undefined && {
      SETT_TELEMETRY_HEADERS: place.telemetry.headers,
    }),
    ...(api !== undefined && settingsOf(api)),
  };
}

function settingsOf({ oidc, cors, tls, requests_per_minute, writes_per_minute }: ApiService) {
  return {
    ...(oidc !== undefined && { SETT_API_OIDC: JSON.stringify(oidc) }),
    ...(cors.length > 0 && { SETT_API_ORIGINS: JSON.stringify(cors) }),
    // A proxy in front of it encrypts.
    ...(tls === "none" && { SETT_API_IS_SECURE: "true" }),
    SETT_API_RATE: String(requests_per_minute),
    SETT_API_WRITE_RATE: String(writes_per_minute),
  };
}

function filesOf({ instance, config, password, api: place }: PlanInput): Need {
  const hasSecrets = hookSecrets(config).length > 0 || place?.telemetry?.headers !== undefined;
  return {
    kind: "files",
    name: filesVolumeName(instance, "api"),
    of: { component: "api-files" },
    target: filesDir,
    secrets: hasSecrets ? { folder: "hooks", variable: hookSecretsVariable } : undefined,
    commits: "SETT_RESULTS_DIR",
    // The page's sessions outlast a restart.
    lasting: { variable: "SETT_API_SESSION_KEY", value: sessionKey(password) },
  };
}

/** Derived from the service's own password for Redis, which lasts as long as the instance. */
function sessionKey(ownerPassword: string): string {
  const own = passwordFor(ownerPassword, { role: "person" });
  return createHash("sha256").update(`sessions of ${own}`).digest("hex");
}

/** The files are named after the certificate, so that another one is another API. */
function certificateOf({ config, api: place }: PlanInput): Need[] {
  const { tls } = config.services.api ?? {};
  if (place?.tls === undefined || typeof tls !== "object") return [];
  const { id } = place.tls;
  return [
    {
      kind: "file",
      path: tls.cert,
      target: `${filesDir}/${id}.crt`,
      variable: certificateVariable,
    },
    { kind: "file", path: tls.key, target: `${filesDir}/${id}.key`, variable: "SETT_API_TLS_KEY" },
  ];
}

/**
 * It writes only the names of this instance's goals, and what agents see of the repository: posting
 * a goal adds to both.
 */
function repositoryOf({ instance, repository, api: place }: PlanInput): Need[] {
  if (place === undefined) return [];
  const ownNames = join(place.repository.commonDir, "refs/sett", instance);
  return [
    seesRepository(place, filesDir, [ownNames]),
    { kind: "store", folders: repository.foldersFor({ role: "api" }) },
  ];
}
