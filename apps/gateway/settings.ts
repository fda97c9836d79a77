// The gateway's settings, from its environment.
import { z } from "zod";
import { Budget } from "../../lib/model/budget.ts";
import { ModelName, ModelSettings, Provider, RecordMode } from "../../lib/model/config-models.ts";
import { ToolServerName, ToolServerSettings } from "../../lib/model/config-tools.ts";
import { SettError } from "../../lib/model/errors.ts";
import { AgentName, InstanceName } from "../../lib/model/ids.ts";
import { throughProxy } from "../../lib/model/proxy.ts";
import { SpendingLimits } from "../../lib/model/spending.ts";
import { reachOf, reachSettings } from "../../lib/reach/open-reach.ts";
import {
  DurationText,
  healthAddress,
  jsonText,
  NonEmpty,
  PortText,
  RedisUrl,
  readEnvironment,
  redisPatience,
} from "../../lib/service/environment.ts";

/** The model of an agent, by its name in sett.yml, and the budget of one of its grants. */
export const AgentModel = z.strictObject({ model: ModelName, budget: Budget });
export type AgentModel = z.infer<typeof AgentModel>;

const [provider] = Provider.options;
const exampleModels = JSON.stringify({
  strong: {
    ...{ provider, model: "…", base_url: "https://…/v1" },
    ...{ parallel: 10, timeout_ms: 600_000, needs_key: true },
  },
});

/** docs/reference/services.md#settings is made from the descriptions here. */
export const Environment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance, which is part of every key."),
  REDIS_URL: RedisUrl.describe("Where Redis is, with the service's user and password."),
  SETT_HEALTH_PORT: PortText.default(8080).describe(
    "The port of the models' APIs and of the health endpoints.",
  ),
  SETT_HEALTH_HOST: healthAddress.SETT_HEALTH_HOST,
  SETT_SOCKETS_DIR: NonEmpty.optional().describe(
    "Where each agent with a model has a folder for a socket, at which it reaches the same without a network.",
  ),
  ...reachSettings,
  SETT_MODELS: jsonText(z.record(ModelName, ModelSettings), exampleModels).describe(
    "The models without their keys, as JSON.",
  ),
  SETT_MODEL_AGENTS: jsonText(
    z.record(AgentName, AgentModel),
    '{"coder":{"model":"strong","budget":{"nanousd":1000000000}}}',
  ).describe("The model of each agent and the budget of a grant, as JSON."),
  SETT_TOOLS: jsonText(
    z.record(ToolServerName, ToolServerSettings),
    '{"issues":{"url":"https://…/mcp","allow":["get_issue"],"calls":200,"answer_length":100000,"timeout_ms":60000,"needs_headers":true}}',
  )
    .default({})
    .describe("The MCP servers without their headers, as JSON. Default: none."),
  SETT_TOOL_AGENTS: jsonText(z.record(AgentName, z.array(ToolServerName)), '{"coder":["issues"]}')
    .default({})
    .describe("The MCP servers of each agent, as JSON."),
  SETT_GOAL_BUDGET: jsonText(Budget, '{"nanousd":5000000000,"tokens":2000000,"calls":500}')
    .default({})
    .describe("The budget of a goal, as JSON. Default: no limit."),
  SETT_SPENDING_LIMITS: jsonText(
    SpendingLimits,
    '{"instance":{"day":{"nanousd":50000000000}},"people":{},"triggers":{}}',
  )
    .optional()
    .describe("The budgets of a day and of a month, and whose they are, as JSON. Default: none."),
  SETT_MODEL_RECORD: RecordMode.default("bodies").describe(
    "What is kept of a call: the bodies, or only their digests.",
  ),
  SETT_TRANSCRIPT_RETENTION: DurationText.optional().describe(
    "After how long bodies are removed. Default: never.",
  ),
  SETT_KEYS_DIR: NonEmpty.default("/keys").describe(
    "Where the keys are: one file for each model, under its name.",
  ),
  SETT_RECORD_DIR: NonEmpty.default("/record").describe(
    "Where the bodies of requests and answers are kept.",
  ),
  SETT_CASSETTE_DIR: NonEmpty.optional().describe(
    "Where exchanges are recorded, or replayed from.",
  ),
  SETT_CASSETTE_MODE: z
    .enum(["record", "replay"])
    .optional()
    .describe("Whether exchanges are recorded or replayed."),
  ...redisPatience,
});

/** The folder of `sett up --record` and `--replay`. */
export type CassetteFolder = { folder: string; mode: "record" | "replay" };

export type Settings = ReturnType<typeof readSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(Environment, environment);
  return {
    instance: read.SETT_INSTANCE_NAME,
    redisUrl: read.REDIS_URL,
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
    socketsFolder: read.SETT_SOCKETS_DIR,
    reach: reachOf(read),
    models: new Map(Object.entries(read.SETT_MODELS)),
    wayTo: (url: string) => throughProxy(url, environment),
    agents: new Map(Object.entries(read.SETT_MODEL_AGENTS)),
    toolServers: new Map(Object.entries(read.SETT_TOOLS)),
    toolAgents: new Map(Object.entries(read.SETT_TOOL_AGENTS)),
    goalBudget: read.SETT_GOAL_BUDGET,
    spendingLimits: read.SETT_SPENDING_LIMITS,
    recordMode: read.SETT_MODEL_RECORD,
    transcriptsKeptMs: read.SETT_TRANSCRIPT_RETENTION,
    keysFolder: read.SETT_KEYS_DIR,
    recordFolder: read.SETT_RECORD_DIR,
    cassette: cassetteOf(read.SETT_CASSETTE_DIR, read.SETT_CASSETTE_MODE),
    redisTimeoutMs: read.SETT_REDIS_TIMEOUT,
    redisGiveUpMs: read.SETT_REDIS_GIVE_UP,
  };
}

function cassetteOf(
  folder: string | undefined,
  mode: CassetteFolder["mode"] | undefined,
): CassetteFolder | undefined {
  if (folder === undefined && mode === undefined) return undefined;
  if (folder !== undefined && mode !== undefined) return { folder, mode };
  throw new SettError(
    "environment-invalid",
    "SETT_CASSETTE_DIR and SETT_CASSETTE_MODE belong together.",
    {
      hint: "Set both, or neither of them.",
    },
  );
}
