// The container of the API; only where sett.yml has `services.api`, or `triggers`, which run in it.
// Pure.
//
// Nothing here contains a token or a key: whatever a container is made from can be read with
// `docker inspect`. Of tokens there are digests, and the certificate and the secrets of webhooks
// come into a volume that it alone has, when it runs (start-api.ts).
import { join } from "node:path";
import { hookSecrets } from "../../../../lib/config/resolve-secrets.ts";
import type { ApiService } from "../../../../lib/model/config-api.ts";
import type { ContainerSpec, Mount } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { apiName, apiVolumeName, openNetworkName } from "../../../../lib/runtime/names.ts";
import { apiProgram } from "../../instance/programs.ts";
import { gatewayStopSeconds, mebibyte, watchingResources } from "../../services/limits.ts";
import {
  type ApiPlace,
  type PlanInput,
  type PlannedService,
  serviceEnvironment,
} from "../plan/plan-input.ts";
import { hostAlias } from "./gateway-spec.ts";
import { logsSocket, logsSocketMount, redisSocketMount } from "./sockets.ts";

export const apiHealthPort = 8080;
/** In the container: which port and address of this machine lead to it is not its affair. */
export const apiPort = 8443;

/** The certificate and its key, the secrets of webhooks, and commits of agents. */
const filesDir = "/files";
const hookSecretsDir = `${filesDir}/hooks`;

export type ApiInput = Pick<
  PlanInput,
  "instance" | "config" | "images" | "repository" | "password" | "engineSocket" | "api"
>;

/**
 * In the network of what reaches the outside, where no container reaches another: a mistake in the
 * API leads to Redis and to the reader of logs by their sockets, and to no other part.
 */
export function planApi(
  input: ApiInput,
  labels: Record<"api" | "files", PartLabels>,
): PlannedService {
  const { instance, config, images, repository, engineSocket, api: given } = input;
  const { api } = config.services;
  const ports =
    api === undefined ? [] : [{ port: apiPort, hostPort: api.port, hostAddress: api.host }];
  const spec: ContainerSpec = {
    name: apiName(instance),
    image: images.api?.tag ?? "",
    labels: labels.api,
    env: environmentOf(input),
    user: repository.user,
    mounts: [
      redisSocketMount(input, "ro"),
      ...(engineSocket === undefined ? [] : [logsSocketMount(input, "ro")]),
      { kind: "volume", volume: apiVolumeName(instance), target: filesDir, access: "rw" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 256 * mebibyte },
      ...repositoryMounts(input, given?.repository),
    ],
    network: { name: openNetworkName(instance), aliases: [] },
    hostAlias,
    ports,
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 512,
    resources: watchingResources,
    restart: "unless-stopped",
    stopTimeoutSeconds: gatewayStopSeconds,
  };
  const files = {
    name: apiVolumeName(instance),
    labels: labels.files,
    owner: repository.user,
    image: images.cub.tag,
  };
  return { spec, program: apiProgram, volumes: [files] };
}

function environmentOf(input: ApiInput): Record<string, string> {
  const { instance, config, engineSocket, api: given } = input;
  const { api } = config.services;
  const { SETT_GRANT_LEASE: _, ...service } = serviceEnvironment(
    input,
    { role: "person" },
    apiHealthPort,
  );
  return {
    SETT_INSTANCE_NAME: instance,
    ...service,
    SETT_API_PORT: String(apiPort),
    SETT_API_HOST: "0.0.0.0",
    SETT_API_TOKENS: JSON.stringify(given?.tokens ?? []),
    SETT_RESULTS_DIR: filesDir,
    ...(engineSocket === undefined ? {} : { SETT_LOGS_SOCKET: logsSocket }),
    ...(given === undefined
      ? {}
      : { SETT_REPOSITORY_DIR: given.repository.toplevel, SETT_REPOSITORY_FILES: "false" }),
    ...given?.telemetry?.variables,
    ...triggersOf(config),
    ...(given?.telemetry?.headers !== undefined && {
      SETT_HOOK_SECRETS_DIR: hookSecretsDir,
      SETT_TELEMETRY_HEADERS: given.telemetry.headers,
    }),
    ...(given?.tls === undefined ? {} : tlsFiles(given.tls.id)),
    ...(api === undefined ? {} : settingsOf(api)),
  };
}

/** With the names of secrets, and not their values. */
function triggersOf({ triggers }: ApiInput["config"]): Record<string, string> {
  if (triggers.length === 0) return {};
  const needsSecrets = hookSecrets({ triggers }).length > 0;
  return {
    SETT_TRIGGERS: JSON.stringify(triggers),
    ...(needsSecrets && { SETT_HOOK_SECRETS_DIR: hookSecretsDir }),
  };
}

/** Named after the certificate, so that another one is another API. */
function tlsFiles(id: string): Record<string, string> {
  return { SETT_API_TLS_CERT: `${filesDir}/${id}.crt`, SETT_API_TLS_KEY: `${filesDir}/${id}.key` };
}

function settingsOf({
  oidc,
  cors,
  tls,
  requests_per_minute,
  writes_per_minute,
}: ApiService): Record<string, string> {
  return {
    ...(oidc === undefined ? {} : { SETT_API_OIDC: JSON.stringify(oidc) }),
    ...(cors.length === 0 ? {} : { SETT_API_ORIGINS: JSON.stringify(cors) }),
    // A proxy in front of it encrypts.
    ...(tls === "none" ? { SETT_API_IS_SECURE: "true" } : {}),
    SETT_API_RATE: String(requests_per_minute),
    SETT_API_WRITE_RATE: String(writes_per_minute),
  };
}

/**
 * The repository's own folder, with its paths on this machine, so that linked worktrees find it;
 * the files of the working copy are not in it. To be written are only the names of this instance's
 * goals, and what agents see of the repository: posting a goal adds to both.
 */
function repositoryMounts(
  { instance, repository }: Pick<PlanInput, "instance" | "repository">,
  place: ApiPlace["repository"] | undefined,
): Mount[] {
  if (place === undefined) return [];
  const { toplevel, commonDir } = place;
  const bind = (path: string, access: "ro" | "rw"): Mount => ({
    kind: "bind",
    path,
    target: path,
    access,
  });
  const ownFile = join(toplevel, ".git");
  return [
    bind(commonDir, "ro"),
    // A linked worktree, or a submodule, has a file that names its folder.
    ...(ownFile === commonDir ? [] : [bind(ownFile, "ro")]),
    bind(join(commonDir, "refs/sett", instance), "rw"),
    ...repository
      .foldersFor({ role: "api" })
      .map(({ path, target, access }): Mount => ({ kind: "bind", path, target, access })),
  ];
}
