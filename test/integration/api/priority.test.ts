import { test } from "bun:test";
import { getPriority } from "node:os";
import { join } from "node:path";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { root } from "../../support/root.ts";
import { waitFor } from "../../support/wait-for.ts";

test("on a full machine the API yields to the programs that decide and work", async () => {
  await using redis = await startRedisServer();
  const child = Bun.spawn([process.execPath, join(root, "apps/api/main.ts")], {
    env: {
      ...{ PATH: process.env.PATH ?? "", REDIS_URL: redis.url, SETT_INSTANCE_NAME: "test" },
      ...{
        SETT_API_PORT: "0",
        SETT_API_HOST: "127.0.0.1",
        SETT_HEALTH_PORT: "0",
        SETT_HEALTH_HOST: "127.0.0.1",
      },
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await waitFor("its priority", () => getPriority(child.pid) > getPriority(process.pid));
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
});
