// All that the plan of an instance is made of, and the parts of it that others look at.
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import type { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { ContainerSpec, Owner } from "../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../lib/runtime/labels.ts";
import { redisName } from "../../../lib/runtime/names.ts";
import { redisPort } from "../instance/place.ts";
import type { EngineSocket } from "./engine-socket.ts";

/** `env` and `labels` are what the image itself sets. */
export type PlannedImage = {
  tag: string;
  id: string;
  env: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
};

export type PlanInput = {
  instance: InstanceName;
  /** The repository's folder. */
  workspace: string;
  version: string;
  config: SettConfig;
  registrations: readonly AgentRegistration[];
  repository: { objectsDir: string; exchangeDir: string; user: Owner };
  images: {
    redis: PlannedImage;
    orchestrator: PlannedImage;
    cub: PlannedImage;
    agents: ReadonlyMap<AgentName, PlannedImage>;
  };
  /** Of the instance's Redis: letters and digits. */
  password: string;
  /** Needed where an agent has workers. */
  engineSocket: EngineSocket | undefined;
};

export type PlannedVolume = { name: string; labels: PartLabels };

export type PlannedAgent = {
  agent: AgentName;
  spec: ContainerSpec;
  workspace: PlannedVolume & { owner: Owner; image: string };
};

/** What both services are told: where Redis is, how long to wait for it, how long a promise of work holds, and where to be asked how they are. */
export function serviceEnvironment(
  { instance, password, config }: PlanInput,
  healthPort: number | undefined,
): Record<string, string> {
  const { limits, services } = config;
  return {
    REDIS_URL: `redis://:${password}@${redisName(instance)}:${redisPort}`,
    SETT_REDIS_TIMEOUT: `${services.redis.timeout_ms}ms`,
    SETT_REDIS_GIVE_UP: `${services.redis.give_up_ms}ms`,
    SETT_GRANT_LEASE: `${limits.lease_ms}ms`,
    ...withoutUndefined({ SETT_HEALTH_PORT: healthPort?.toString() }),
  };
}
