// The container of the gateway, which alone has the providers' keys; only where sett.yml has
// `models`. Pure.
//
// Nothing here contains a key: whatever a container is made from can be read with `docker inspect`.
// The keys are put into its memory when it runs (give-keys.ts).
import type { AgentConfig, SettConfig } from "../../../../lib/model/config.ts";
import type { ContainerSpec, Mount } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { gatewayName, networkName, recordVolumeName } from "../../../../lib/runtime/names.ts";
import { gatewayStopSeconds, mebibyte, serviceResources } from "../../services/limits.ts";
import { type PlanInput, serviceEnvironment } from "../plan/plan-input.ts";
import { gatewaySocket, gatewaySocketFolder, gatewaySocketMount } from "./sockets.ts";

export const gatewayPort = 8080;
/** The name of this machine in base URLs: a model may be served here. */
export const hostAlias = "host.docker.internal";

const keysDir = "/keys";
const recordDir = "/record";
const cassetteDir = "/cassettes";

export function hasModels({ models }: Pick<SettConfig, "models">): boolean {
  return Object.keys(models.settings).length > 0;
}

export function withModel({ agents }: Pick<SettConfig, "agents">): AgentConfig[] {
  return agents.filter(({ model }) => model !== undefined);
}

/** What the cub of an agent with a model knows of it. Empty for an agent without a model. */
export function modelEnvironment(
  { config }: PlanInput,
  { model, on_budget }: AgentConfig,
): Record<string, string> {
  const settings = model === undefined ? undefined : config.models.settings[model];
  if (model === undefined || settings === undefined) return {};
  return {
    SETT_GATEWAY_URL: `unix:${gatewaySocket}`,
    SETT_MODEL: settings.model,
    SETT_MODEL_PROVIDER: settings.provider,
    SETT_MODEL_NAME: model,
    SETT_ON_BUDGET: on_budget,
  };
}

/** It runs as the repository's owner, who gets the files of `--record`. */
export function gatewaySpec(input: PlanInput, labels: PartLabels): ContainerSpec {
  const { instance, images, repository } = input;
  return {
    name: gatewayName(instance),
    image: images.gateway?.tag ?? "",
    labels,
    env: environmentOf(input),
    user: repository.user,
    mounts: [
      { kind: "secrets", target: keysDir, sizeBytes: mebibyte },
      { kind: "volume", volume: recordVolumeName(instance), target: recordDir, access: "rw" },
      ...withModel(input.config).map(({ name }) => gatewaySocketMount(input, name, "rw")),
      { kind: "tmpfs", target: "/tmp", sizeBytes: 64 * mebibyte },
      ...cassetteMounts(input),
    ],
    network: { name: networkName(instance), aliases: [] },
    hostAlias,
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 512,
    resources: serviceResources,
    restart: "unless-stopped",
    stopTimeoutSeconds: gatewayStopSeconds,
  };
}

function environmentOf(input: PlanInput): Record<string, string> {
  const { instance, config } = input;
  const { SETT_GRANT_LEASE: _, ...service } = serviceEnvironment(
    input,
    { role: "gateway" },
    gatewayPort,
  );
  const agents = withModel(config).map(({ name, model, budget }) => [name, { model, budget }]);
  return {
    SETT_INSTANCE_NAME: instance,
    ...service,
    SETT_SOCKETS_DIR: gatewaySocketFolder,
    SETT_MODELS: JSON.stringify(modelsFor(input)),
    SETT_MODEL_AGENTS: JSON.stringify(Object.fromEntries(agents)),
    SETT_GOAL_BUDGET: JSON.stringify(config.limits.budget),
    SETT_MODEL_RECORD: config.models.record,
    ...retentionOf(config),
    SETT_KEYS_DIR: keysDir,
    SETT_RECORD_DIR: recordDir,
    ...cassetteEnvironment(input),
  };
}

function retentionOf({ retention: { transcripts_ms } }: SettConfig): Record<string, string> {
  return transcripts_ms === undefined ? {} : { SETT_TRANSCRIPT_RETENTION: `${transcripts_ms}ms` };
}

/** For a replay no model needs its key. */
function modelsFor({ config, cassettes }: PlanInput): SettConfig["models"]["settings"] {
  const { settings } = config.models;
  if (cassettes?.mode !== "replay") return settings;
  return Object.fromEntries(
    Object.entries(settings).map(([name, model]) => [name, { ...model, needs_key: false }]),
  );
}

/** The source is for the command line, which must know the folder on this machine. */
function cassetteEnvironment({ cassettes }: PlanInput): Record<string, string> {
  if (cassettes === undefined) return {};
  return {
    SETT_CASSETTE_DIR: cassetteDir,
    SETT_CASSETTE_MODE: cassettes.mode,
    SETT_CASSETTE_SOURCE: cassettes.folder,
  };
}

function cassetteMounts({ cassettes }: PlanInput): Mount[] {
  if (cassettes === undefined) return [];
  return [
    {
      kind: "bind",
      path: cassettes.folder,
      target: cassetteDir,
      access: cassettes.mode === "record" ? "rw" : "ro",
    },
  ];
}
