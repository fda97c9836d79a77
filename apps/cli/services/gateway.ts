// The gateway, which alone has the providers' keys: for an instance with `models`.
//
// Nothing here contains a key: whatever a container is made from can be read with `docker inspect`.
// The keys are put into its memory when it runs.
import type { AgentConfig, SettConfig } from "../../../lib/model/config.ts";
import { headersFile, type ToolHeaders } from "../../../lib/model/config-tools.ts";
import { hasLimits } from "../../../lib/model/spending.ts";
import type { Mount } from "../../../lib/runtime/container-spec.ts";
import { recordVolumeName } from "../../../lib/runtime/names.ts";
import { reachesRedis, redisTimes, temporaryFolder } from "./environment.ts";
import type { PlanInput } from "./input.ts";
import { gatewayStopSeconds, mebibyte, serviceResources } from "./limits.ts";
import { serves } from "./reach.ts";
import { defineService } from "./service.ts";
import { certificatesOut, wayOut } from "./way-out.ts";

const keysDir = "/keys";
const recordDir = "/record";
const cassetteDir = "/cassettes";

export const gateway = defineService({
  name: "gateway",
  image: "gateway",
  isNeeded: hasModels,
  // It runs as the repository's owner, who gets the files of `--record`.
  plan: (input) => ({
    program: "gateway",
    env: environmentOf(input),
    needs: [
      { kind: "secrets", target: keysDir, sizeBytes: mebibyte },
      {
        kind: "shelf",
        name: recordVolumeName(input.instance),
        of: { component: "record" },
        target: recordDir,
      },
      serves(
        input,
        "gateway",
        withModel(input.config).map(({ name }) => name),
      ),
      reachesRedis(input, { role: "gateway" }),
      temporaryFolder(64),
      ...cassetteMounts(input),
      ...certificatesOut(input.config),
    ],
    network: "instance",
    reachesMachine: true,
    healthPort: 8080,
    user: input.repository.user,
    resources: serviceResources,
    pidsLimit: 512,
  }),
  gifts: [
    {
      argument: "--put-keys",
      value: ({ keys, toolHeaders }) => ({ ...keys, ...headerFiles(toolHeaders) }),
      refusal: "The gateway did not take the keys of the models",
      hint: "`sett logs gateway` may show why.",
      isRenewed: true,
      isInMemory: true,
    },
  ],
  ready: "announced",
  starts: "before-agents",
  stops: "after-agents",
  stopSeconds: gatewayStopSeconds,
  // Its volume stays when `models` is removed from sett.yml; but then no agent knows where it is.
  sign: { variable: "SETT_GATEWAY_URL" },
});

export function hasModels({ models }: Pick<SettConfig, "models">): boolean {
  return Object.keys(models.settings).length > 0;
}

/** Each is a file beside the keys, as JSON. */
function headerFiles(headers: Readonly<Record<string, ToolHeaders>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, one]) => [headersFile(name), JSON.stringify(one)]),
  );
}

function withModel({ agents }: Pick<SettConfig, "agents">): AgentConfig[] {
  return agents.filter(({ model }) => model !== undefined);
}

function environmentOf(input: PlanInput): Record<string, string> {
  const { instance, config } = input;
  const { transcripts_ms } = config.retention;
  const agents = withModel(config).map(({ name, model, budget }) => [name, { model, budget }]);
  return {
    SETT_INSTANCE_NAME: instance,
    ...redisTimes(config),
    SETT_MODELS: JSON.stringify(modelsFor(input)),
    SETT_MODEL_AGENTS: JSON.stringify(Object.fromEntries(agents)),
    ...toolEnvironment(config),
    SETT_GOAL_BUDGET: JSON.stringify(config.limits.budget),
    ...(hasLimits(config.limits.spending) && {
      SETT_SPENDING_LIMITS: JSON.stringify(config.limits.spending),
    }),
    SETT_MODEL_RECORD: config.models.record,
    ...(transcripts_ms !== undefined && { SETT_TRANSCRIPT_RETENTION: `${transcripts_ms}ms` }),
    ...wayOut(config),
    SETT_KEYS_DIR: keysDir,
    SETT_RECORD_DIR: recordDir,
    ...cassetteEnvironment(input),
  };
}

/** Servers that no agent names are not reached. */
function toolEnvironment({ agents, tools }: SettConfig): Record<string, string> {
  const uses = agents.flatMap((one) => (one.tools.length > 0 ? [[one.name, one.tools]] : []));
  if (uses.length === 0) return {};
  return {
    SETT_TOOLS: JSON.stringify(tools.settings),
    SETT_TOOL_AGENTS: JSON.stringify(Object.fromEntries(uses)),
  };
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
  const access = cassettes.mode === "record" ? "rw" : "ro";
  return [{ kind: "bind", path: cassettes.folder, target: cassetteDir, access }];
}
