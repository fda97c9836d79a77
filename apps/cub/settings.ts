// What the cub is told by its environment.
import { z } from "zod";
import { Strategy } from "../../lib/model/agent.ts";
import { AgentName, InstanceName } from "../../lib/model/ids.ts";
import { grantLeaseMs } from "../../lib/model/leases.ts";
import { DurationText, jsonText, PortText, readEnvironment } from "../../lib/service/environment.ts";

/** May be empty or name nothing that exists: that is a failure of the work, recorded where people look for it. */
const CommandText = jsonText(z.array(z.string()), '["/app/run.sh"]');

const Environment = z.object({
  SETT_INSTANCE_NAME: InstanceName,
  SETT_AGENT_NAME: AgentName,
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: "must be a URL such as redis://:password@host:6379" }),
  SETT_AGENT_COMMAND: CommandText,
  SETT_AGENT_ROLE: z.string().min(1, { error: "must not be empty" }).optional(),
  SETT_AGENT_REPLICAS: z.coerce.number({ error: "must be a whole number" }).int().min(1).default(1),
  SETT_AGENT_STRATEGY: Strategy.default("reuse"),
  /** For a worker: which attempt of its grant it is to be. */
  SETT_GRANT_ATTEMPT: z.coerce.number({ error: "must be a whole number" }).int().min(1).optional(),
  SETT_CONTEXT_BYTES: z.coerce.number({ error: "must be a number of bytes" }).int().min(1).optional(),
  SETT_PROMPT_CLAIM: z.string().optional(),
  SETT_PROMPT_EXECUTION: z.string().optional(),
  SETT_HEALTH_PORT: PortText.default(8080),
  SETT_HEALTH_HOST: z.string().min(1).default("0.0.0.0"),
  SETT_REDIS_TIMEOUT: DurationText.default(3_000),
  SETT_REDIS_GIVE_UP: DurationText.default(60_000),
  SETT_GRANT_LEASE: DurationText.default(grantLeaseMs),
  SETT_SHUTDOWN_TIMEOUT: DurationText.default(30_000),
  SETT_GIT_BINARY: z.string().min(1).default("/cub/git"),
  SETT_GIT_LIBRARY_PATH: z.string().min(1).optional(),
  SETT_GIT_DIR: z.string().min(1).default("/git"),
  SETT_WORKSPACE_DIR: z.string().min(1).default("/workspace"),
});

export type Settings = ReturnType<typeof readSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. Times are milliseconds. */
export function readSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(Environment, environment);
  return {
    instance: read.SETT_INSTANCE_NAME,
    agentName: read.SETT_AGENT_NAME,
    redisUrl: read.REDIS_URL,
    command: read.SETT_AGENT_COMMAND,
    role: read.SETT_AGENT_ROLE ?? read.SETT_AGENT_NAME,
    replicas: read.SETT_AGENT_REPLICAS,
    strategy: read.SETT_AGENT_STRATEGY,
    grantAttempt: read.SETT_GRANT_ATTEMPT,
    contextBytes: read.SETT_CONTEXT_BYTES,
    promptClaim: read.SETT_PROMPT_CLAIM,
    promptExecution: read.SETT_PROMPT_EXECUTION,
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
    redisTimeoutMs: read.SETT_REDIS_TIMEOUT,
    redisGiveUpMs: read.SETT_REDIS_GIVE_UP,
    grantLeaseMs: read.SETT_GRANT_LEASE,
    shutdownTimeoutMs: read.SETT_SHUTDOWN_TIMEOUT,
    git: {
      binary: read.SETT_GIT_BINARY,
      libraryPath: read.SETT_GIT_LIBRARY_PATH,
      dir: read.SETT_GIT_DIR,
    },
    workspaceDir: read.SETT_WORKSPACE_DIR,
  };
}
