// A service started by hand on a health port that is taken.
import { expect, test } from "bun:test";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { startService } from "../../support/process/service-process.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";

test.each(["orchestrator", "cub"] as const)(
  "a taken port ends the %s with one sentence and the way out, before it writes anything",
  async (app) => {
    await using redis = await startRedisServer();
    using holder = Bun.serve({ port: 0, fetch: () => new Response("mine") });
    const port = String(holder.port);
    await using service = startService(app, {
      SETT_INSTANCE_NAME: "demo",
      SETT_AGENT_NAME: "coder",
      SETT_AGENT_COMMAND: '["true"]',
      REDIS_URL: redis.url,
      SETT_HEALTH_PORT: port,
    });
    expect(await service.exited).toBe(1);
    expect(service.errors()).toBe(
      `${app}: The health port ${port} is used by another program. Set SETT_HEALTH_PORT (\`health_port\` in sett.yml) to a free port, or to 0 for any.\n`,
    );
    const instance = InstanceName.parse("demo");
    await using board = await connectBlackboard({ url: redis.url, instance, ...patient });
    expect(await board.listAgents()).toEqual([]);
    expect(await board.readLeader()).toBeUndefined();
  },
  120_000,
);
