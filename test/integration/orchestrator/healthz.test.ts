// `/healthz` over HTTP, as a container's health check or a supervisor asks for it: of both services
// as real processes, while Redis comes and goes.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isNight } from "../../support/nightly.ts";
import { type ServiceProcess, startService } from "../../support/process/service-process.ts";
import { type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

describe.each(isNight ? (["orchestrator", "cub"] as const) : (["orchestrator"] as const))(
  "/healthz of the %s",
  (app) => {
    let redis: RedisServer;
    let service: ServiceProcess;
    beforeAll(async () => {
      redis = await startRedisServer();
      service = startService(app, {
        SETT_INSTANCE_NAME: "demo",
        SETT_AGENT_NAME: "coder",
        SETT_AGENT_COMMAND: '["true"]',
        REDIS_URL: redis.url,
        SETT_HEALTH_PORT: "0",
        // Nothing is given up, however slow this machine is today.
        SETT_REDIS_GIVE_UP: "10m",
      });
    });
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    });

    /** Returns what it says, once it says so with this status. */
    async function answer(status: number): Promise<unknown> {
      const { port } = await waitFor("its port", () =>
        service.log().find(({ msg }) => /^(?:Orchestrator|Cub) started$/.test(msg)),
      );
      return waitFor(`status ${status}`, async () => {
        const response = await fetch(`http://127.0.0.1:${port}/healthz`);
        const body = await response.json();
        return response.status === status ? body : undefined;
      });
    }

    test("is 200 while Redis answers", async () => {
      expect(await answer(200)).toEqual({ service: app, ok: true });
    });

    test("is 503 with the reason once Redis was killed, and 200 again when it is back", async () => {
      await redis.kill();
      expect(await answer(503)).toEqual({
        service: app,
        ok: false,
        reason: "Redis does not answer.",
      });
      await redis.start();
      expect(await answer(200)).toEqual({ service: app, ok: true });
    });

    test("is 503 with the reason while Redis is stalled, and 200 again when it goes on", async () => {
      redis.freeze();
      expect(await answer(503)).toEqual({
        service: app,
        ok: false,
        reason: "Redis does not answer.",
      });
      redis.unfreeze();
      expect(await answer(200)).toEqual({ service: app, ok: true });
      expect(service.errors()).toBe("");
    });
  },
);
