// The cub's settings, from its environment.
import { createHmac } from "node:crypto";
import { z } from "zod";
import { Strategy } from "../../lib/model/agent.ts";
import { Cage } from "../../lib/model/cage.ts";
import { VariableName } from "../../lib/model/config-environment.ts";
import { Provider } from "../../lib/model/config-models.ts";
import { SecretName } from "../../lib/model/config-secrets.ts";
import { SettError } from "../../lib/model/errors.ts";
import { AgentName, InstanceName } from "../../lib/model/ids.ts";
import { withWhole } from "../../lib/model/in-pieces.ts";
import { defaultOutputBytes, maxOutputBytes } from "../../lib/model/kept-output.ts";
import { LaneSettings } from "../../lib/model/lane.ts";
import { grantLeaseMs } from "../../lib/model/leases.ts";
import { PreparedWorkspace, PrepareOrder } from "../../lib/model/prepare.ts";
import { WorkspacePaths } from "../../lib/model/workspace-path.ts";
import { anyProvider } from "../../lib/models/providers.ts";
import {
  countOf,
  DurationText,
  healthAddress,
  jsonText,
  NonEmpty,
  RedisUrlOrSocket,
  readEnvironment,
  redisPatience,
  serviceUrl,
} from "../../lib/service/environment.ts";
import type { SecretVariables } from "./secrets/secrets.ts";
import { type ModelAccess, modelLimits } from "./tool/model-access.ts";

/**
 * It may be empty or name a program that does not exist: then the work fails, with a Failure on the
 * blackboard.
 */
const CommandText = jsonText(z.array(z.string()), '["/app/run.sh"]');

/** docs/reference/services.md#settings is made from the descriptions here. */
export const Environment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance, which is part of every key."),
  SETT_AGENT_NAME: AgentName.describe("The agent."),
  REDIS_URL: RedisUrlOrSocket.describe(
    "Where Redis is, with the agent's user and password; `redis+unix://…@localhost/PATH` for a socket.",
  ),
  SETT_LOGIN: z
    .string()
    .optional()
    .describe(
      "Half of its password of Redis, where REDIS_URL has none. The other half is an argument, `--login=…`, which the cub removes from where others read it.",
    ),
  SETT_AGENT_COMMAND: CommandText.describe(
    "The agent's command, as a JSON array. Empty, with a model and a prompt: the built-in worker.",
  ),
  SETT_LANE: jsonText(LaneSettings, '{"name":"main","method":"merge","gates":[]}')
    .optional()
    .describe(
      "`lane` and `merge`, as JSON: the work is then Sett's own, which also gets the lane's tip, `SETT_LANE_TIP`.",
    ),
  SETT_BID_COMMAND: jsonText(z.array(z.string()).min(1), '["/app/bid.sh"]')
    .optional()
    .describe("`bid_command`, as a JSON array."),
  SETT_AGENT_ROLE: NonEmpty.optional().describe("The agent's role. Default: its name."),
  SETT_AGENT_REPLICAS: countOf("a whole number")
    .default(1)
    .describe("How many grants of the agent may be worked on at the same time."),
  SETT_AGENT_STRATEGY: Strategy.default("reuse").describe("`fresh_per_call`: this cub only bids."),
  SETT_GRANT_ATTEMPT: countOf("a whole number")
    .optional()
    .describe(
      "For `cub --execute-claim CLAIM`: which attempt of the grant it is. Default: the one that is queued.",
    ),
  SETT_WORKER_IDLE: DurationText.optional().describe(
    "For `cub --execute-claim CLAIM`: it works on whatever is queued, and ends when nothing has come for so long. The starter sets it.",
  ),
  SETT_WORKER_TURN: DurationText.optional().describe(
    "With `SETT_WORKER_IDLE`: so long after its start it takes no more work, and ends. The starter sets it.",
  ),
  SETT_CONTEXT_BYTES: countOf("a number of bytes")
    .optional()
    .describe("`limits.context` in bytes. Default: 64 MiB."),
  SETT_RECORDER_URL: serviceUrl("unix:/run/sett/recorder/recorder.sock", "tls")
    .optional()
    .describe(
      "Where the recorder is, or its socket; `tls://…` as for the gateway. Default: no output of commands is kept.",
    ),
  SETT_OUTPUT_BYTES: countOf("a number of bytes", 0)
    .max(maxOutputBytes)
    .default(defaultOutputBytes)
    .describe("`limits.output` in bytes."),
  SETT_PROMPT_CLAIM: z.string().optional().describe("`prompts.claim`."),
  SETT_PROMPT_EXECUTION: z.string().optional().describe("`prompts.execution`, for the command."),
  SETT_GATEWAY_URL: serviceUrl("http://sett-demo-gateway:8080", "tls")
    .optional()
    .describe(
      "Where the gateway is, or its socket, `unix:/PATH`; `tls://WAY:KEY@HOST:PORT/?authority=…` by TLS, with what proves who calls. Only for an agent with a model, together with the next two.",
    ),
  SETT_MODEL: NonEmpty.optional().describe("The provider's name of the agent's model."),
  SETT_MODEL_PROVIDER: Provider.optional().describe(`Whose API the model has: ${anyProvider}.`),
  SETT_MODEL_NAME: NonEmpty.optional().describe(
    "The model's name in sett.yml. Default: `SETT_MODEL`.",
  ),
  ...modelLimits,
  SETT_MODEL_TIMEOUT: DurationText.optional().describe(
    "How long the model may take for a bid. Default: 30 s.",
  ),
  SETT_HAS_TOOLS: z
    .literal("true")
    .optional()
    .catch(undefined)
    .describe("The agent has `tools`, which its command finds at `SETT_MCP_URL`."),
  SETT_ON_BUDGET: z
    .enum(["fail", "ask"])
    .default("fail")
    .describe("`on_budget`: what the built-in worker does when its budget is spent."),
  SETT_EGRESS_URL: serviceUrl("unix:/run/sett/egress/egress.sock", "tls")
    .optional()
    .describe("Where the proxy for `egress` is, or its socket; `tls://…` as for the gateway."),
  SETT_SECRETS: jsonText(
    z.record(SecretName, VariableName.nullable()),
    '{"registry-token":"NPM_TOKEN"}',
  )
    .optional()
    .describe("The agent's secrets, as a JSON map: name → the command's variable for it, or null."),
  SETT_SECRETS_DIR: NonEmpty.default("/run/secrets").describe("The folder with their values."),
  ...healthAddress,
  ...redisPatience,
  SETT_GRANT_LEASE: DurationText.default(grantLeaseMs).describe(
    "The lease of a running grant (`limits.lease`).",
  ),
  SETT_SHUTDOWN_TIMEOUT: DurationText.default(30_000).describe(
    "How long a running command may go on after SIGTERM.",
  ),
  SETT_STOP_SIGNAL: z
    .enum(["SIGSYS"])
    .optional()
    .describe(
      "The one signal that it obeys, which its commands cannot send. Default: SIGTERM and SIGINT.",
    ),
  SETT_GIT_BINARY: NonEmpty.default("/cub/git").describe("The git that the cub uses."),
  SETT_GIT_LIBRARY_PATH: NonEmpty.optional().describe("The library path of that git."),
  SETT_COMMAND_ENVIRONMENT: jsonText(
    z.record(z.string(), z.string()),
    '{"NODE_OPTIONS":"--no-warnings"}',
  )
    .optional()
    .describe("Variables for commands alone, as a JSON map: the cub itself would go by them."),
  SETT_OBJECTS_DIR: NonEmpty.default("/git/objects").describe(
    "Where the repository's objects are mounted.",
  ),
  SETT_EXCHANGE_DIR: NonEmpty.default("/git/exchange").describe(
    "Where agents leave their commits for each other.",
  ),
  SETT_PACKS_URL: serviceUrl("unix:/run/sett/packs/packs.sock", "tls")
    .optional()
    .describe(
      "Where the service of packs is, or its socket: it has what `SETT_OBJECTS_DIR` and `SETT_EXCHANGE_DIR` have elsewhere.",
    ),
  SETT_PACKS_STORE: NonEmpty.default("/git/store").describe(
    "For the cub's own copy of the repository's objects, where there is that service.",
  ),
  SETT_DISK_LIMIT: countOf("a number of bytes")
    .optional()
    .describe("`resources.limits.disk` in bytes. It is watched in containers only."),
  SETT_PIDS_LIMIT: countOf("a number of processes")
    .optional()
    .describe(
      "`resources.limits.pids`. It is watched in containers only, which may have some more.",
    ),
  SETT_CAGE: jsonText(Cage, '{"network":"none","limits":{"openFiles":4096}}')
    .optional()
    .describe(
      "What confines its commands, as JSON: the cub of a container tries it before it takes work.",
    ),
  SETT_WORKSPACE_KEEP: z
    .enum(["true", "false"])
    .default("false")
    .describe("`workspace.keep`: whether files that git ignores stay for the next grant."),
  SETT_WORKSPACE_PATHS: jsonText(WorkspacePaths, '["services/door/","*.md"]')
    .optional()
    .describe("`workspace.paths`, as a JSON array. Default: all files."),
  SETT_LAYER_DIR: NonEmpty.optional().describe("The layer over which the working directory lies."),
  SETT_PREPARED: jsonText(PreparedWorkspace, '{"key":["package-lock.json"],"files":"…"}')
    .optional()
    .describe("What of `workspace.prepare` a worker has, as JSON. The starter sets it."),
  SETT_PREPARE: jsonText(PrepareOrder, '{"commit":"…","run":"npm ci"}')
    .optional()
    .describe("For `cub --prepare STEP`: what is made, as JSON. The starter sets it."),
  SETT_WORKSPACE_DIR: NonEmpty.default("/workspace").describe(
    "The working directory of the command.",
  ),
});

/** `sett up` writes them in several variables where they are long. */
const inSeveral = ["SETT_PROMPT_CLAIM", "SETT_PROMPT_EXECUTION", "SETT_COMMAND_ENVIRONMENT"];

export type Settings = ReturnType<typeof readSettings>;

/**
 * Throws `environment-invalid`, naming every variable that is missing or malformed. Times are
 * milliseconds.
 */
export function readSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(Environment, withWhole(withoutEmpty(environment), inSeveral));
  return {
    instance: read.SETT_INSTANCE_NAME,
    agentName: read.SETT_AGENT_NAME,
    redisUrl: read.REDIS_URL,
    command: read.SETT_AGENT_COMMAND,
    lane: read.SETT_LANE,
    bidCommand: read.SETT_BID_COMMAND,
    role: read.SETT_AGENT_ROLE ?? read.SETT_AGENT_NAME,
    replicas: read.SETT_AGENT_REPLICAS,
    strategy: read.SETT_AGENT_STRATEGY,
    grantAttempt: read.SETT_GRANT_ATTEMPT,
    idleMs: read.SETT_WORKER_IDLE,
    turnMs: read.SETT_WORKER_TURN,
    contextBytes: read.SETT_CONTEXT_BYTES,
    promptClaim: read.SETT_PROMPT_CLAIM,
    promptExecution: read.SETT_PROMPT_EXECUTION,
    model: modelOf(read),
    onBudget: read.SETT_ON_BUDGET,
    egressUrl: read.SETT_EGRESS_URL,
    recorderUrl: read.SETT_RECORDER_URL,
    outputBytes: read.SETT_OUTPUT_BYTES,
    secrets: secretsOf(read),
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
    redisTimeoutMs: read.SETT_REDIS_TIMEOUT,
    redisGiveUpMs: read.SETT_REDIS_GIVE_UP,
    grantLeaseMs: read.SETT_GRANT_LEASE,
    shutdownTimeoutMs: read.SETT_SHUTDOWN_TIMEOUT,
    commandEnvironment: read.SETT_COMMAND_ENVIRONMENT,
    stopSignals: read.SETT_STOP_SIGNAL && [read.SETT_STOP_SIGNAL],
    git: gitOf(read),
    packs: packsOf(read),
    workspaceDir: read.SETT_WORKSPACE_DIR,
    layerDir: read.SETT_LAYER_DIR,
    keptBy: keptByOf(read),
    prepared: read.SETT_PREPARED,
    diskBytes: read.SETT_DISK_LIMIT,
    pids: read.SETT_PIDS_LIMIT,
    cage: read.SETT_CAGE,
    keepsIgnored: read.SETT_WORKSPACE_KEEP === "true",
    paths: read.SETT_WORKSPACE_PATHS,
  };
}

/**
 * A key from the agent's password, which no command can read. Undefined where a workspace lasts no
 * longer than its worker, or the password could be guessed.
 */
function keptByOf(read: z.infer<typeof Environment>): Uint8Array | undefined {
  const { SETT_GRANT_ATTEMPT: attempt, SETT_LAYER_DIR: layer, REDIS_URL: url } = read;
  const { password } = new URL(url);
  const isGone = attempt !== undefined && layer !== undefined;
  if (isGone || !/^[0-9a-f]{64}$/.test(password)) return undefined;
  const { SETT_INSTANCE_NAME: instance, SETT_AGENT_NAME: agent } = read;
  return createHmac("sha256", password).update(`checkout ${instance} ${agent}`).digest();
}

type GitVariables = Pick<
  z.infer<typeof Environment>,
  "SETT_GIT_BINARY" | "SETT_GIT_LIBRARY_PATH" | "SETT_OBJECTS_DIR" | "SETT_EXCHANGE_DIR"
>;

function gitOf(read: GitVariables) {
  return {
    binary: read.SETT_GIT_BINARY,
    libraryPath: read.SETT_GIT_LIBRARY_PATH,
    objectsDir: read.SETT_OBJECTS_DIR,
    exchangeDir: read.SETT_EXCHANGE_DIR,
  };
}

/** Undefined where the repository's folders are mounted. */
function packsOf({
  SETT_PACKS_URL: url,
  SETT_PACKS_STORE: storeDir,
}: Pick<z.infer<typeof Environment>, "SETT_PACKS_URL" | "SETT_PACKS_STORE">) {
  return url === undefined ? undefined : { address: { url }, storeDir };
}

/** A maker of layers needs no more than this. */
const LayerEnvironment = Environment.pick({
  SETT_GIT_BINARY: true,
  SETT_GIT_LIBRARY_PATH: true,
  SETT_OBJECTS_DIR: true,
  SETT_LAYER_DIR: true,
  SETT_DISK_LIMIT: true,
  SETT_WORKSPACE_PATHS: true,
}).required({ SETT_LAYER_DIR: true, SETT_DISK_LIMIT: true });

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readLayerSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(LayerEnvironment, environment);
  return {
    git: { binary: read.SETT_GIT_BINARY, libraryPath: read.SETT_GIT_LIBRARY_PATH },
    objectsDir: read.SETT_OBJECTS_DIR,
    layerDir: read.SETT_LAYER_DIR,
    diskBytes: read.SETT_DISK_LIMIT,
    paths: read.SETT_WORKSPACE_PATHS,
  };
}

/** The containers that make what is prepared need no more than this. */
const PrepareEnvironment = Environment.pick({
  SETT_GIT_BINARY: true,
  SETT_GIT_LIBRARY_PATH: true,
  SETT_OBJECTS_DIR: true,
  SETT_EXCHANGE_DIR: true,
  SETT_WORKSPACE_DIR: true,
  SETT_COMMAND_ENVIRONMENT: true,
  SETT_EGRESS_URL: true,
  SETT_DISK_LIMIT: true,
  SETT_PIDS_LIMIT: true,
  SETT_PREPARE: true,
  SETT_SECRETS: true,
  SETT_SECRETS_DIR: true,
}).required({ SETT_DISK_LIMIT: true, SETT_PREPARE: true });

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readPrepareSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(
    PrepareEnvironment,
    withWhole(withoutEmpty(environment), [...inSeveral, "SETT_PREPARE"]),
  );
  return {
    order: read.SETT_PREPARE,
    git: gitOf(read),
    workspaceDir: read.SETT_WORKSPACE_DIR,
    commandEnvironment: read.SETT_COMMAND_ENVIRONMENT,
    egressUrl: read.SETT_EGRESS_URL,
    secrets: secretsOf(read),
    diskBytes: read.SETT_DISK_LIMIT,
    pids: read.SETT_PIDS_LIMIT,
    environment,
  };
}

/** Who looks at a grant beside the record needs no more than this. */
const ExamineEnvironment = Environment.pick({
  SETT_AGENT_NAME: true,
  SETT_AGENT_COMMAND: true,
  SETT_AGENT_ROLE: true,
  SETT_GIT_BINARY: true,
  SETT_GIT_LIBRARY_PATH: true,
  SETT_OBJECTS_DIR: true,
  SETT_EXCHANGE_DIR: true,
  SETT_PACKS_URL: true,
  SETT_PACKS_STORE: true,
  SETT_WORKSPACE_DIR: true,
  SETT_WORKSPACE_PATHS: true,
  SETT_COMMAND_ENVIRONMENT: true,
  SETT_EGRESS_URL: true,
  SETT_DISK_LIMIT: true,
  SETT_PIDS_LIMIT: true,
  SETT_CAGE: true,
  SETT_SECRETS: true,
  SETT_SECRETS_DIR: true,
});

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readExamineSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(ExamineEnvironment, withWhole(withoutEmpty(environment), inSeveral));
  return {
    agentName: read.SETT_AGENT_NAME,
    command: read.SETT_AGENT_COMMAND,
    role: read.SETT_AGENT_ROLE ?? read.SETT_AGENT_NAME,
    git: gitOf(read),
    packs: packsOf(read),
    workspaceDir: read.SETT_WORKSPACE_DIR,
    paths: read.SETT_WORKSPACE_PATHS,
    commandEnvironment: read.SETT_COMMAND_ENVIRONMENT,
    egressUrl: read.SETT_EGRESS_URL,
    diskBytes: read.SETT_DISK_LIMIT,
    pids: read.SETT_PIDS_LIMIT,
    cage: read.SETT_CAGE,
    secrets: secretsOf(read),
    environment,
  };
}

/**
 * `sett up` empties what the agent's image has set, because a container cannot lack a variable of
 * its image.
 */
function withoutEmpty(
  environment: Record<string, string | undefined>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
}

/** Undefined for an agent without secrets. */
function secretsOf({
  SETT_SECRETS: variables,
  SETT_SECRETS_DIR: folder,
}: Pick<z.infer<typeof Environment>, "SETT_SECRETS" | "SETT_SECRETS_DIR">) {
  return variables && { folder, variables: variables satisfies SecretVariables };
}

/** Undefined for an agent without a model. */
function modelOf(read: z.infer<typeof Environment>): ModelAccess | undefined {
  const {
    SETT_GATEWAY_URL: url,
    SETT_MODEL: model,
    SETT_MODEL_PROVIDER: provider,
    SETT_MODEL_NAME: name = model,
    SETT_MODEL_CONTEXT: contextTokens,
    SETT_MODEL_OUTPUT: outputTokens,
    SETT_MODEL_TIMEOUT: timeoutMs,
    SETT_HAS_TOOLS,
  } = read;
  const hasTools = SETT_HAS_TOOLS === "true" || undefined;
  const limits = { contextTokens, outputTokens, timeoutMs, hasTools };
  if (url === undefined && model === undefined && provider === undefined) return undefined;
  if (url !== undefined && model !== undefined && provider !== undefined && name !== undefined)
    return { gatewayUrl: url.replace(/\/+$/, ""), model, provider, name, ...limits };
  throw new SettError(
    "environment-invalid",
    "SETT_GATEWAY_URL, SETT_MODEL and SETT_MODEL_PROVIDER belong together.",
    {
      hint: "Set all three for an agent with a model, and none of them for an agent without one.",
    },
  );
}
