// The same suite against Redis as `sett up` ships it: the image redis:7-alpine (or its stand-in), append-only, no eviction.
import { afterAll } from "bun:test";
import { GenericContainer, Wait } from "testcontainers";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
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
  cli: async (...words: string[]) => (await container.exec(["redis-cli", ...words])).output.trimEnd(),
};

blackboardSuite("the blackboard in a container's Redis", () => openRedisBench(server));
