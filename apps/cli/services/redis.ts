// Redis, which holds the blackboard of an instance, or the way to it where it is elsewhere.
import { createHash } from "node:crypto";
import { blackboardVolumeName } from "../../../lib/runtime/names.ts";
import { redisPort, temporaryFolder } from "./environment.ts";
import { health, redisResources, redisStopSeconds, redisUser } from "./limits.ts";
import { elsewhereOf, wayToRedis } from "./redis-elsewhere.ts";
import { redisScript } from "./redis-script.ts";
import { defineService } from "./service.ts";

/** The SHA-256 of its owner's password, for the file of users. */
const usersVariable = "SETT_REDIS_USERS";

export const redis = defineService({
  name: "redis",
  image: (config) => (elsewhereOf(config) === undefined ? "redis" : "orchestrator"),
  isNeeded: () => true,
  plan: (input) => {
    const { instance, config, password } = input;
    const elsewhere = elsewhereOf(config);
    if (elsewhere !== undefined) return wayToRedis(input, elsewhere);
    const resources = redisResources(config.services.redis.resources);
    return {
      program: "orchestrator",
      start: { script: (at) => redisScript(at, resources.memoryBytes), folder: "/data" },
      // redis-cli reads this variable, so `docker exec … redis-cli` works. sett reads it from the
      // container, too.
      env: {
        REDISCLI_AUTH: password,
        [usersVariable]: createHash("sha256").update(password).digest("hex"),
      },
      needs: [
        {
          kind: "shelf",
          name: blackboardVolumeName(instance),
          of: { component: "blackboard" },
          target: "/data",
        },
        { kind: "serve", door: "redis" },
        temporaryFolder(16),
      ],
      network: "instance",
      ports: [{ port: redisPort, published: "any", otherPortVariable: "SETT_REDIS_PORT" }],
      healthcheck: { ...health, command: ["sh", "-c", '[ "$(redis-cli ping)" = PONG ]'] },
      user: redisUser,
      resources,
      pidsLimit: 256,
    };
  },
  ready: "connects",
  starts: "first",
  stops: "last",
  stopSeconds: redisStopSeconds,
  sign: "always",
});
