// A Redis that is there already (`services.redis.url`), and the way to it: a service that the
// instance's parts reach as they would reach a Redis of their own. It alone knows the address, and
// passes connections on, with TLS; users and passwords are between the parts and that Redis.
import type { SettConfig } from "../../../lib/model/config.ts";
import { blackboardVolumeName } from "../../../lib/runtime/names.ts";
import { redisPort, temporaryFolder } from "./environment.ts";
import type { PlanInput } from "./input.ts";
import { redisUser, serviceResources } from "./limits.ts";
import type { ServicePlan } from "./service.ts";

/** Says of a part that it is the way to a Redis elsewhere: where that is, as a URL. */
export const elsewhereVariable = "SETT_REDIS_AT";

type WithRedis = { services: Pick<SettConfig["services"], "redis"> };

/** The URL without user and password; undefined where the instance has a Redis of its own. */
export function elsewhereOf({ services }: WithRedis): string | undefined {
  const parsed = services.redis.url === undefined ? null : URL.parse(services.redis.url);
  return parsed === null ? undefined : `${parsed.protocol}//${parsed.host}`;
}

export function wayToRedis({ instance, password, redisCa }: PlanInput, at: string): ServicePlan {
  return {
    program: "orchestrator",
    start: { args: ["--redis-way"] },
    env: {
      SETT_INSTANCE_NAME: instance,
      [elsewhereVariable]: at,
      ...(redisCa !== undefined && { SETT_REDIS_CA: redisCa }),
      // sett derives the passwords of the instance's users from it; it is none of that Redis.
      REDISCLI_AUTH: password,
    },
    needs: [
      // It stays after `sett down`, and says that there is a blackboard. What an own Redis has left
      // there stays, too.
      {
        kind: "shelf",
        name: blackboardVolumeName(instance),
        of: { component: "blackboard" },
        target: "/data",
      },
      { kind: "serve", door: "redis", variable: "SETT_SOCKET" },
      temporaryFolder(16),
    ],
    network: "instance",
    reachesMachine: true,
    reachesAt: at,
    ports: [
      {
        port: redisPort,
        published: "any",
        variables: { port: "SETT_REDIS_PORT", address: "SETT_REDIS_HOST" },
      },
    ],
    // As an own Redis, so that either can use the volumes of the other.
    user: redisUser,
    resources: serviceResources,
    pidsLimit: 256,
  };
}
