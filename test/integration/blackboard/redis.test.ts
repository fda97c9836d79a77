// The suite in Redis, each call by its owner. By day access.test.ts has each call made by the user
// whose program makes it, which is more: here is only what takes too long beside its record.
import { afterAll, describe } from "bun:test";
import { connectionSettings } from "../../../apps/cli/services/redis-settings.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { isNight } from "../../support/nightly.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { largePayloadSuite } from "./suite/artefacts.ts";
import { blackboardSuite } from "./suite.ts";

const server = await startRedisServer({ settings: connectionSettings });
afterAll(() => server[Symbol.asyncDispose]());

const name = "the blackboard in Redis";
const open = () => openRedisBench(server);

if (isNight) blackboardSuite(name, open);
else describe(`${name}, with the largest artefacts`, () => largePayloadSuite(open));
