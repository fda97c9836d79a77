// A program that has telemetry and nothing else: what the API's program does about it.
import process from "node:process";
import { z } from "zod";
import { systemClock } from "../../../lib/async/clock.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { readEnvironment } from "../../../lib/service/environment.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { serve } from "../../../lib/service/serve.ts";
import { createServiceApp } from "../../../lib/service/service-app.ts";
import { stopSignal } from "../../../lib/service/stop-signal.ts";
import { TelemetryEnvironment, telemetrySettings } from "../../../lib/telemetry/settings.ts";
import { startTelemetry } from "../../../lib/telemetry/start.ts";

const Environment = TelemetryEnvironment.extend({ SETT_INSTANCE_NAME: InstanceName, REDIS_URL: z.string() });

const env = readEnvironment(Environment, process.env);
const log = createJsonLog(console.log, systemClock.now);
const signal = stopSignal();
const limits = { timeoutMs: 20_000, giveUpMs: 60_000, onLost: () => process.exit(1) };
const board = await connectBlackboard({ url: env.REDIS_URL, instance: env.SETT_INSTANCE_NAME, ...limits });
const telemetry = startTelemetry({ board, settings: telemetrySettings(env), version: "1.2.3", log, signal });
const { metrics, state } = telemetry;
const app = createServiceApp({ service: "telemetry", health: () => ({ ok: true }), metrics, state });
const server = serve({ port: 0, hostname: "127.0.0.1" }, app.fetch);
await telemetry.ready;
log.info("Serving", { port: server.port });
await telemetry.ended;
await server.stop();
await board[Symbol.asyncDispose]();
log.info("Stopped");
