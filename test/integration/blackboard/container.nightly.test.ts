// The same suite against Redis as `sett up` ships it: the image redis:7-alpine (or its stand-in),
// append-only, no eviction, the same limits of a connection.
import { afterAll } from "bun:test";
import { GenericContainer, Wait } from "testcontainers";
import { connectionSettings } from "../../../apps/cli/services/redis-settings.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { flagsOf } from "../../support/redis/redis-server.ts";
import { blackboardSuite } from "./suite.ts";

const container = await new GenericContainer("redis:7-alpine")
  .withCommand([
    "redis-server",
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
    "--save",
    "",
    "--maxmemory-policy",
    "noeviction",
    ...flagsOf(connectionSettings),
  ])
  .withExposedPorts(6379)
  .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
  .withStartupTimeout(180_000)
  .start();
afterAll(async () => {
  await container.stop();
});

const server = {
  url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
  cli: async (...words: string[]) =>
    (await container.exec(["redis-cli", ...words])).output.trimEnd(),
};

blackboardSuite("the blackboard in a container's Redis", () => openRedisBench(server));
