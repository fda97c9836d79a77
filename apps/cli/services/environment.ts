// The variables that several services have, and their ways to Redis.
import type { RedisUser } from "../../../lib/blackboard/redis/users.ts";
import { sharedPrefix, userNameOf } from "../../../lib/blackboard/redis/users.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Need } from "../../../lib/runtime/part-plan.ts";
import { quietRuntime } from "../../../lib/service/quiet-runtime.ts";
import type { ApiPlace } from "./input.ts";
import { passwordFor } from "./redis-users.ts";

export const redisPort = 6379;

/** How long a service waits for Redis, and until when. */
export function redisTimes({
  services: { redis },
}: Pick<SettConfig, "services">): Record<string, string> {
  return {
    ...quietRuntime,
    SETT_REDIS_TIMEOUT: `${redis.timeout_ms}ms`,
    SETT_REDIS_GIVE_UP: `${redis.give_up_ms}ms`,
  };
}

/** The lease of a grant. */
export function leaseTime({ limits }: Pick<SettConfig, "limits">): Record<string, string> {
  return { SETT_GRANT_LEASE: `${limits.lease_ms}ms` };
}

type WithRedis = {
  instance: InstanceName;
  password: string;
  config: Pick<SettConfig, "services">;
};

export function reachesRedis(input: WithRedis, user: RedisUser): Need {
  const { password, config, instance } = input;
  const prefix = config.services.redis.url === undefined ? "" : sharedPrefix(instance);
  const login = { name: userNameOf(user, prefix), password: passwordFor(password, user) };
  return { kind: "redis", port: redisPort, login };
}

export function temporaryFolder(mebibytes: number): Need {
  return { kind: "tmpfs", target: "/tmp", sizeBytes: mebibytes * 1024 ** 2 };
}

/** Where it is not to be seen, the service makes a copy in its own folder. */
export function seesRepository(
  { repository: { toplevel, commonDir } }: ApiPlace,
  filesDir: string,
  writable: readonly string[],
): Need {
  return {
    kind: "repository",
    toplevel,
    commonDir,
    writable,
    variable: "SETT_REPOSITORY_DIR",
    filesVariable: "SETT_REPOSITORY_FILES",
    copy: { folder: `${filesDir}/copy`, variable: "SETT_REPOSITORY_COPY_DIR" },
  };
}
