// The orchestrator's settings, from its environment.
import { z } from "zod";
import { AgentName, InstanceName } from "../../lib/model/ids.ts";
import { withWhole } from "../../lib/model/in-pieces.ts";
import { defaultOutputBytes, maxOutputBytes } from "../../lib/model/kept-output.ts";
import { grantLeaseMs } from "../../lib/model/leases.ts";
import { Hook } from "../../lib/model/notify.ts";
import { defaultPolicy, Policy } from "../../lib/model/policy.ts";
import { reachOf, reachSettings } from "../../lib/reach/open-reach.ts";
import {
  countOf,
  DurationText,
  healthAddress,
  jsonText,
  NonEmpty,
  PortText,
  RedisUrl,
  readEnvironment,
  redisPatience,
  serviceUrl,
} from "../../lib/service/environment.ts";
import type { WorkerTemplate } from "./workers/worker-host.ts";

const Processes = z.strictObject({ folder: z.string(), supervisor: z.array(z.string()) });

const WorkersCluster = z.strictObject({ home: z.string(), namespace: z.string() });

const Templates = jsonText(
  z.array(z.custom<WorkerTemplate>((value) => typeof value === "object")),
  "[]",
);

const exampleHooks =
  '[{"url":"https://…","secret":"…","on":["question"],"remind_every_ms":3600000}]';

/** docs/reference/services.md#settings is made from the descriptions here. */
export const Environment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance, which is part of every key."),
  REDIS_URL: RedisUrl.describe("Where Redis is, with the service's user and password."),
  ...healthAddress,
  SETT_POLICY: jsonText(Policy, JSON.stringify(defaultPolicy))
    .default(defaultPolicy)
    .describe("The rules of the instance from sett.yml, as JSON."),
  /**
   * Stable over restarts: the same holder acquires the leader lease at once, any other waits until
   * it lapses.
   */
  SETT_HOLDER: NonEmpty.optional().describe(
    "Who holds the leader lease. After a restart the same holder acquires it at once. Default: `HOSTNAME`.",
  ),
  /** The name that container runtimes set, which outlives a restart of the same container. */
  HOSTNAME: NonEmpty.optional().describe("Set by container runtimes."),
  /** `sett up` writes it, from the same plan as the controllers. */
  SETT_WORKERS: Templates.default([]).describe(
    "The agents with workers, as JSON: `agent`, `replicas`, and as `spec` their templates where workers are processes.",
  ),
  SETT_STARTER_URL: serviceUrl("unix:/run/sett/starter/starter.sock", "tls")
    .optional()
    .describe("Where the starter of workers is, or its socket."),
  /** Where workers are processes of this machine, and not containers: as `sett up` starts them. */
  SETT_PROCESSES: jsonText(Processes, '{"folder":"/…","supervisor":["sett","supervise"]}')
    .optional()
    .describe("Where workers are processes of this machine: how to start them, as JSON."),
  /** The webhooks that are notified of what waits for a person and of how goals end. */
  SETT_NOTIFY: jsonText(z.array(Hook), exampleHooks)
    .default([])
    .describe("Who is notified, as JSON."),
  ...redisPatience,
  SETT_GRANT_LEASE: DurationText.default(grantLeaseMs).describe(
    "The lease of a running grant (`limits.lease`).",
  ),
});

export type Settings = ReturnType<typeof readSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(Environment, withWhole(environment, ["SETT_WORKERS"]));
  return {
    instance: read.SETT_INSTANCE_NAME,
    redisUrl: read.REDIS_URL,
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
    policy: read.SETT_POLICY,
    workerTemplates: read.SETT_WORKERS,
    starterUrl: read.SETT_STARTER_URL,
    notify: { hooks: read.SETT_NOTIFY },
    processes: read.SETT_PROCESSES,
    holder: read.SETT_HOLDER ?? read.HOSTNAME ?? "orchestrator",
    redisTimeoutMs: read.SETT_REDIS_TIMEOUT,
    redisGiveUpMs: read.SETT_REDIS_GIVE_UP,
    grantLeaseMs: read.SETT_GRANT_LEASE,
  };
}

const LogsCluster = z.strictObject({ home: NonEmpty, workers: NonEmpty.optional() });

const apiServer = {
  KUBERNETES_SERVICE_HOST: NonEmpty.optional().describe(
    "Where the API server of the cluster is. A cluster sets it in each pod.",
  ),
  KUBERNETES_SERVICE_PORT: PortText.default(443).describe("Its port."),
};

function serverIn(read: {
  KUBERNETES_SERVICE_HOST?: string | undefined;
  KUBERNETES_SERVICE_PORT: number;
}): { host: string | undefined; port: number } {
  return { host: read.KUBERNETES_SERVICE_HOST, port: read.KUBERNETES_SERVICE_PORT };
}

/** docs/reference/services.md#settings is made from the descriptions here. */
export const StarterEnvironment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance."),
  SETT_WORKERS: Templates.describe(
    "The templates of the workers, as JSON: `agent`, `replicas`, `spec`.",
  ),
  SETT_LAYER_IMAGE: NonEmpty.optional().describe(
    "The image of the cub, which makes checkouts for workers. Default: none is shared.",
  ),
  SETT_KUBERNETES: jsonText(WorkersCluster, '{"home":"team","namespace":"team-workers"}')
    .optional()
    .describe(
      "Where workers are Jobs of a cluster: the namespaces of the services and of the workers, as JSON. Default: they are containers of the Engine.",
    ),
  ...apiServer,
  SETT_SOCKET: NonEmpty.describe("The socket at which the orchestrator asks it."),
  ...reachSettings,
  SETT_HEALTH_PORT: PortText.default(8080).describe(
    "The port of its loopback for the health check.",
  ),
});

export type StarterSettings = ReturnType<typeof readStarterSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readStarterSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(StarterEnvironment, withWhole(environment, ["SETT_WORKERS"]));
  return {
    instance: read.SETT_INSTANCE_NAME,
    templates: read.SETT_WORKERS,
    layerImage: read.SETT_LAYER_IMAGE,
    cluster: read.SETT_KUBERNETES && { ...read.SETT_KUBERNETES, server: serverIn(read) },
    socket: read.SETT_SOCKET,
    reach: reachOf(read),
    healthPort: read.SETT_HEALTH_PORT,
  };
}

/** docs/reference/services.md#settings is made from the descriptions here. */
export const LogReaderEnvironment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe(
    "The instance, of which it gives logs, and of no other.",
  ),
  SETT_KUBERNETES: jsonText(LogsCluster, '{"home":"team","workers":"team-workers"}')
    .optional()
    .describe(
      "Where the parts are pods of a cluster: the namespaces of the instance and of its workers, as JSON. Default: they are containers of the Engine.",
    ),
  ...apiServer,
  SETT_SOCKET: NonEmpty.describe("The socket at which the API asks it."),
  ...reachSettings,
  SETT_HEALTH_PORT: PortText.default(8080).describe(
    "The port of its loopback for the health check.",
  ),
});

export type LogReaderSettings = ReturnType<typeof readLogReaderSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readLogReaderSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(LogReaderEnvironment, environment);
  return {
    instance: read.SETT_INSTANCE_NAME,
    cluster: read.SETT_KUBERNETES && { ...read.SETT_KUBERNETES, server: serverIn(read) },
    socket: read.SETT_SOCKET,
    reach: reachOf(read),
    healthPort: read.SETT_HEALTH_PORT,
  };
}

/** docs/reference/services.md#settings is made from the descriptions here. */
export const RecorderEnvironment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance."),
  SETT_RECORD_DIR: NonEmpty.default("/record").describe(
    "The folder of the record, where it keeps what commands have printed.",
  ),
  SETT_RECORDER_AGENTS: jsonText(z.array(AgentName), '["builder","reviewer"]')
    .default([])
    .describe("The agents that may add to it, as JSON."),
  SETT_RECORDER_READER: AgentName.optional().describe("Who reads, and adds nothing."),
  SETT_SOCKETS_DIR: NonEmpty.optional().describe(
    "Where each of these has a folder for its socket. Default: all of them ask at the health port.",
  ),
  SETT_OUTPUT_BYTES: countOf("a whole number", 0)
    .max(maxOutputBytes)
    .default(defaultOutputBytes)
    .describe("`limits.output` in bytes."),
  ...reachSettings,
  ...healthAddress,
});

export type RecorderSettings = ReturnType<typeof readRecorderSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readRecorderSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(RecorderEnvironment, environment);
  return {
    instance: read.SETT_INSTANCE_NAME,
    folder: read.SETT_RECORD_DIR,
    agents: read.SETT_RECORDER_AGENTS,
    reader: read.SETT_RECORDER_READER,
    socketsFolder: read.SETT_SOCKETS_DIR,
    maxBytes: read.SETT_OUTPUT_BYTES,
    reach: reachOf(read),
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
  };
}

/** docs/reference/services.md#settings is made from the descriptions here. */
export const NotaryEnvironment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance."),
  REDIS_URL: RedisUrl.describe("Where Redis is, with the notary's user and password."),
  SETT_PROOF_DIR: NonEmpty.default("/proof").describe(
    "The folder of the sealed log and of the key.",
  ),
  SETT_PROOF_KEY: NonEmpty.optional().describe(
    "The public key that it must have (`proof.key`): with another one it seals nothing.",
  ),
  ...redisPatience,
  ...healthAddress,
});

export type NotarySettings = ReturnType<typeof readNotarySettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readNotarySettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(NotaryEnvironment, environment);
  return {
    instance: read.SETT_INSTANCE_NAME,
    redisUrl: read.REDIS_URL,
    folder: read.SETT_PROOF_DIR,
    pinned: read.SETT_PROOF_KEY,
    redisTimeoutMs: read.SETT_REDIS_TIMEOUT,
    redisGiveUpMs: read.SETT_REDIS_GIVE_UP,
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
  };
}

/** An export of the notary's volume needs these alone. Throws as the others. */
export function readProofSettings(environment: Record<string, string | undefined>) {
  const { SETT_INSTANCE_NAME, SETT_PROOF_DIR } = NotaryEnvironment.shape;
  const shape = z.object({ SETT_INSTANCE_NAME, SETT_PROOF_DIR });
  const read = readEnvironment(shape, environment);
  return { instance: read.SETT_INSTANCE_NAME, folder: read.SETT_PROOF_DIR };
}

/** docs/reference/services.md#settings is made from the descriptions here. */
export const RedisWayEnvironment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance."),
  SETT_REDIS_AT: z
    .url({ protocol: /^rediss?$/, error: "must be a URL such as rediss://redis.example.org:6380" })
    .describe("Where the Redis of others is, without user and password."),
  SETT_REDIS_CA: z
    .string()
    .optional()
    .describe(
      "Certificates in PEM that sign that of Redis. Default: the authorities that everybody knows.",
    ),
  SETT_REDIS_PORT: PortText.default(6379).describe("The port at which it is reached."),
  SETT_REDIS_HOST: z.string().default("0.0.0.0").describe("The address at which it listens."),
  SETT_SOCKET: NonEmpty.optional().describe("The socket at which agents reach it."),
  ...healthAddress,
});

export type RedisWaySettings = ReturnType<typeof readRedisWaySettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readRedisWaySettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(RedisWayEnvironment, environment);
  return {
    instance: read.SETT_INSTANCE_NAME,
    at: read.SETT_REDIS_AT,
    ca: read.SETT_REDIS_CA,
    port: read.SETT_REDIS_PORT,
    host: read.SETT_REDIS_HOST,
    socket: read.SETT_SOCKET,
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
  };
}
