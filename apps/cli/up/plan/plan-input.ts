// The input of an instance's plan, and the parts of a plan that several files use.
import type { RedisUser } from "../../../../lib/blackboard/redis/users.ts";
import type { HostExchange } from "../../../../lib/git/exchange/port.ts";
import type { RepositoryPlace } from "../../../../lib/git/run/find-repository.ts";
import type { AgentRegistration } from "../../../../lib/model/agent.ts";
import type { TokenDigest } from "../../../../lib/model/api-access.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { AgentName, InstanceName } from "../../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../../lib/model/without-undefined.ts";
import type { ContainerSpec, Owner } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { redisName } from "../../../../lib/runtime/names.ts";
import { quietRuntime } from "../../../../lib/service/quiet-runtime.ts";
import { redisPort } from "../../instance/place.ts";
import type { Machine } from "../../services/limits.ts";
import { socketUrlFor, urlFor } from "../../services/redis-users.ts";
import { redisSocket } from "../services/sockets.ts";
import type { EngineSocket } from "./engine-socket.ts";

/** `env` and `labels`: those of the image itself. */
export type PlannedImage = {
  tag: string;
  id: string;
  env: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
};

export type PlanInput = {
  instance: InstanceName;
  /** Of the instance: a label of each part. */
  id: string;
  /** The repository's folder. */
  workspace: string;
  version: string;
  config: SettConfig;
  registrations: readonly AgentRegistration[];
  repository: Pick<HostExchange, "foldersFor"> & { user: Owner };
  images: {
    redis: PlannedImage;
    orchestrator: PlannedImage;
    cub: PlannedImage;
    /** Undefined where sett.yml has neither models, a way to other hosts nor `secrets`. */
    gateway?: PlannedImage | undefined;
    /** Undefined where there is no API. */
    api?: PlannedImage | undefined;
    agents: ReadonlyMap<AgentName, PlannedImage>;
  };
  /**
   * The password of the instance's Redis, its owner's: letters and digits. Each service gets one
   * that is derived from it.
   */
  password: string;
  machine: Machine;
  /** Public networks that this machine itself is in. */
  machineNetworks?: readonly string[];
  /** Undefined where there is no API. */
  api?: ApiPlace | undefined;
  /** Needed where an agent has workers, or there is an API. */
  engineSocket: EngineSocket | undefined;
  cassettes?: Cassettes | undefined;
};

/**
 * What the API is given. `tls`: the certificate by a digest, which also says that it has changed.
 */
export type ApiPlace = {
  tokens: readonly TokenDigest[];
  tls: { id: string } | undefined;
  repository: Pick<RepositoryPlace, "toplevel" | "commonDir">;
  /** `headers`: the name of the file with them, which comes with the secrets of webhooks. */
  telemetry?: { variables: Readonly<Record<string, string>>; headers: string | undefined };
};

/**
 * The folder, on this machine, of recorded calls of models. `replay`: they are answered from it,
 * without a provider.
 */
export type Cassettes = { mode: "record" | "replay"; folder: string };

export type PlannedVolume = { name: string; labels: PartLabels };

/** A volume whose owner is not root. The image is that of a container which never runs. */
export type OwnedVolume = PlannedVolume & {
  owner: Owner;
  image: string;
  /** It is in memory, and may have so many bytes. */
  memoryBytes?: number;
};

export type PlannedGateway = {
  spec: ContainerSpec;
  /** Its program inside the container; arguments are added. */
  program: readonly string[];
  /** The bodies of calls, and the socket of agents. */
  volumes: OwnedVolume[];
};

/** A service without state. `volumes`: those in which it leaves something for others. */
export type PlannedService = Pick<PlannedGateway, "spec" | "program"> & { volumes: OwnedVolume[] };

export type PlannedAgent = {
  agent: AgentName;
  spec: ContainerSpec;
  workspace: OwnedVolume;
};

/**
 * The settings of the services: the address of Redis and the service's own user there, how long to
 * wait for it, the lease of a grant, and the health port.
 */
export function serviceEnvironment(
  { instance, password, config }: Pick<PlanInput, "instance" | "password" | "config">,
  user: RedisUser,
  healthPort: number | undefined,
): Record<string, string> {
  const { limits, services } = config;
  return {
    REDIS_URL:
      user.role === "agent" || user.role === "person"
        ? socketUrlFor({ path: redisSocket, ownerPassword: password }, user)
        : urlFor({ host: redisName(instance), port: redisPort, ownerPassword: password }, user),
    ...quietRuntime,
    SETT_REDIS_TIMEOUT: `${services.redis.timeout_ms}ms`,
    SETT_REDIS_GIVE_UP: `${services.redis.give_up_ms}ms`,
    SETT_GRANT_LEASE: `${limits.lease_ms}ms`,
    ...withoutUndefined({ SETT_HEALTH_PORT: healthPort?.toString() }),
  };
}
