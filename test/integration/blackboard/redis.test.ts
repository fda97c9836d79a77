import { afterAll } from "bun:test";
import { connectionSettings } from "../../../apps/cli/services/redis-settings.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { blackboardSuite } from "./suite.ts";

const server = await startRedisServer({ settings: connectionSettings });
afterAll(() => server[Symbol.asyncDispose]());

blackboardSuite("the blackboard in Redis", () => openRedisBench(server));
