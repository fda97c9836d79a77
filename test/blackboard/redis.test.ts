import { afterAll } from "bun:test";
import { startRedisServer } from "../support/redis-server.ts";
import { openRedisBench } from "./bench.ts";
import { blackboardSuite } from "./suite.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

blackboardSuite("the blackboard in Redis", () => openRedisBench(server));
