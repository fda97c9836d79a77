// The plan of an instance for a machine that runs its parts as processes: the same parts and
// environment, other paths. Pure.
import { createHash } from "node:crypto";
import { needsWorkers } from "../../../../lib/model/agent.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { inPieces } from "../../../../lib/model/in-pieces.ts";
import type { ContainerSpec } from "../../../../lib/runtime/container-spec.ts";
import { withPrograms } from "../../../../lib/runtime/fingerprint.ts";
import type { ProcessRuntimeOptions } from "../../../../lib/runtime/process/runtime.ts";
import { redisPort } from "../../instance/place.ts";
import type { Programs } from "../../instance/programs.ts";
import { mebibyte } from "../../services/limits.ts";
import { aclFileScript } from "../../services/redis-acl-file.ts";
import { maxmemoryScript } from "../../services/redis-memory.ts";
import { redisSettings } from "../../services/redis-settings.ts";
import { apiHealthPort } from "../services/api-spec.ts";
import { gatewayPort, hostAlias } from "../services/gateway-spec.ts";
import type { InstancePlan } from "./plan.ts";
import type { PlannedAgent } from "./plan-input.ts";

export type Machine = {
  /** The configuration as this machine can run it. */
  config: SettConfig;
  programs: Programs;
  /** For an orchestrator that has workers to start. */
  processes: ProcessRuntimeOptions;
  /** The repository's folder, where `bid_command` is run. */
  workspace: string;
  /** The ports on which Redis, the gateway and the health of the API listen. */
  ports: { redis: number; gateway: number; api: number };
};

export function asProcesses(plan: InstancePlan, machine: Machine): InstancePlan {
  const { config, programs, processes, workspace, ports } = machine;
  const made = (spec: ContainerSpec, over: Partial<ContainerSpec>) =>
    withPrograms(spec, { ...spec, ...over }, programs.version);
  const service = {
    // Other machines have no access.
    SETT_HEALTH_HOST: "127.0.0.1",
  };
  const { SETT_SOCKETS_DIR: _, ...gatewayEnv } = plan.gateway?.spec.env ?? {};
  const { SETT_STARTER_URL: __, ...orchestratorEnv } = plan.orchestrator.env;
  const redisUrl = ({ REDIS_URL = "" }: Record<string, string>) => ({
    REDIS_URL: onThisMachine(REDIS_URL, ports.redis),
  });
  const agents = plan.agents.map((agent) => {
    // The cub and git find their own libraries here.
    const {
      LD_LIBRARY_PATH: _,
      SETT_GIT_LIBRARY_PATH: __,
      SETT_EGRESS_URL: ___,
      SETT_STOP_SIGNAL: ____,
      ...env
    } = agent.spec.env;
    const paths = {
      SETT_GIT_BINARY: "git",
      ...foldersHere(agent.spec),
      SETT_WORKSPACE_DIR: "/workspace",
    };
    const spec = made(agent.spec, {
      entrypoint: programs.cub,
      env: {
        ...anyPort,
        ...noGitSettings,
        ...env,
        ...paths,
        ...service,
        ...redisUrl(env),
        ...modelEnvironment(env, ports.gateway),
      },
      workingDir: workspace,
    });
    return { ...agent, spec };
  });
  return {
    ...plan,
    // Commands have the network of this machine.
    networks: plan.networks.slice(0, 1),
    egress: undefined,
    starter: undefined,
    keeper: plan.keeper && {
      ...plan.keeper,
      program: programs.gateway,
      spec: made(plan.keeper.spec, {
        entrypoint: ["sleep", ...(plan.keeper.spec.entrypoint ?? []).slice(1)],
      }),
    },
    redis: made(plan.redis, {
      entrypoint: ["sh", "-c", redisScript(plan.redis.resources?.memoryBytes)],
      env: { ...plan.redis.env, SETT_REDIS_PORT: String(ports.redis) },
      workingDir: "/data",
      ports: [{ port: redisPort, hostPort: ports.redis }],
    }),
    orchestrator: made(plan.orchestrator, {
      entrypoint: programs.orchestrator,
      env: {
        ...anyPort,
        ...orchestratorEnv,
        ...service,
        ...redisUrl(plan.orchestrator.env),
        ...(orchestratorEnv.SETT_NOTIFY !== undefined && {
          SETT_NOTIFY: onMachine(orchestratorEnv.SETT_NOTIFY),
        }),
        ...forWorkers(config, agents, processes),
      },
    }),
    gateway: plan.gateway && {
      ...plan.gateway,
      program: programs.gateway,
      spec: made(plan.gateway.spec, {
        entrypoint: programs.gateway,
        env: {
          ...gatewayEnv,
          ...service,
          ...redisUrl(plan.gateway.spec.env),
          ...gatewayEnvironment(plan.gateway.spec.env, ports.gateway),
        },
        ports: [{ port: gatewayPort, hostPort: ports.gateway }],
      }),
    },
    api: plan.api && {
      ...plan.api,
      program: programs.api,
      volumes: [],
      spec: made(plan.api.spec, {
        entrypoint: programs.api,
        env: {
          ...apiEnvironment(plan.api.spec, machine),
          ...service,
          ...redisUrl(plan.api.spec.env),
        },
        mounts: [{ kind: "secrets", target: hookSecretsDir, sizeBytes: mebibyte }],
        ports: [...(plan.api.spec.ports ?? []), { port: apiHealthPort, hostPort: ports.api }],
      }),
    },
    logReader: undefined,
    agents,
  };
}

/** The variables that name a folder which a container would have mounted. */
function foldersHere({ env, mounts = [] }: ContainerSpec): Record<string, string> {
  const binds = new Map(
    mounts.flatMap((one) => (one.kind === "bind" ? [[one.target, one.path]] : [])),
  );
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const path = binds.get(value);
      return path === undefined ? [] : [[name, path]];
    }),
  );
}

/**
 * It reads logs and the certificate itself, has the whole repository, and listens where its
 * container would be published.
 */
function apiEnvironment(
  { env, ports: published = [] }: ContainerSpec,
  { config, ports, processes, workspace }: Machine,
): Record<string, string> {
  const { SETT_LOGS_SOCKET: _, SETT_RESULTS_DIR: __, SETT_REPOSITORY_FILES: ___, ...rest } = env;
  const { tls } = config.services.api ?? {};
  const [at] = published;
  const collectors = Object.entries(rest).filter(([name]) =>
    name.startsWith("OTEL_EXPORTER_OTLP_"),
  );
  return {
    ...rest,
    ...Object.fromEntries(collectors.map(([name, value]) => [name, onMachine(value)])),
    ...(env.SETT_HOOK_SECRETS_DIR === undefined ? {} : { SETT_HOOK_SECRETS_DIR: hookSecretsDir }),
    ...(typeof tls === "object" ? { SETT_API_TLS_CERT: tls.cert, SETT_API_TLS_KEY: tls.key } : {}),
    // The page's sessions outlast a restart: its container has a volume for the key.
    SETT_API_SESSION_KEY: sessionKeyFor(env.REDIS_URL ?? ""),
    SETT_HEALTH_PORT: String(ports.api),
    SETT_LOGS_OF: "processes",
    SETT_PROCESSES: JSON.stringify(processes),
    SETT_REPOSITORY_DIR: workspace,
    SETT_API_PORT: String(at?.hostPort ?? 0),
    SETT_API_HOST: at?.hostAddress ?? "127.0.0.1",
  };
}

/** A folder of the process, in memory where the machine has one. */
/** Derived from the service's own password for Redis, which lasts as long as the instance. */
function sessionKeyFor(redisUrl: string): string {
  return createHash("sha256").update(`sessions of ${redisUrl}`).digest("hex");
}

const hookSecretsDir = "/hooks";

function onThisMachine(url: string, port: number): string {
  const { username, password } = new URL(url);
  return `redis://${username}:${password}@127.0.0.1:${port}`;
}

/** Only an agent with a model knows the gateway. */
function modelEnvironment(
  { SETT_GATEWAY_URL }: Record<string, string>,
  port: number,
): Record<string, string> {
  return SETT_GATEWAY_URL === undefined ? {} : { SETT_GATEWAY_URL: `http://127.0.0.1:${port}` };
}

/** A container knows this machine by a name that this machine itself does not know. */
function gatewayEnvironment(
  { SETT_MODELS = "" }: Record<string, string>,
  port: number,
): Record<string, string> {
  return { SETT_HEALTH_PORT: String(port), SETT_MODELS: onMachine(SETT_MODELS) };
}

/** Addresses within a text. */
function onMachine(text: string): string {
  return text.replaceAll(`//${hostAlias}`, "//127.0.0.1");
}

function forWorkers(
  config: SettConfig,
  agents: readonly PlannedAgent[],
  processes: ProcessRuntimeOptions,
): Record<string, string> {
  const templates = config.agents.filter(needsWorkers).map(({ name, replicas }) => ({
    agent: name,
    replicas,
    spec: agents.find(({ agent }) => agent === name)?.spec,
  }));
  if (templates.length === 0) return {};
  return {
    ...inPieces("SETT_WORKERS", JSON.stringify(templates)),
    SETT_PROCESSES: JSON.stringify(processes),
  };
}

/** Only one service of a machine could have the default port. */
const anyPort = { SETT_HEALTH_PORT: "0" };

/**
 * A container has no git settings of the user either: hooks, signatures and aliases. The agent's
 * `environment` may override this.
 */
const noGitSettings = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/**
 * Redis keeps its data in its working folder. Its settings come on stdin, because every user of the
 * machine can read arguments.
 */
const redisScript = (limitBytes: number | undefined) => `umask 077
${maxmemoryScript(limitBytes)}
${aclFileScript("users.acl")}
exec redis-server - <<END
port $SETT_REDIS_PORT
bind 127.0.0.1
${redisSettings.join("\n")}
aclfile $PWD/users.acl
END`;
