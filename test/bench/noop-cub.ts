// A cub in a process of its own whose tool does nothing: what is left is Sett itself. Started by the benchmark.
import { randomUUID } from "node:crypto";
import process from "node:process";
import { Cub } from "../../apps/cub/cub.ts";
import { LoopWatch } from "../../apps/cub/loop-watch.ts";
import { createCubMetrics } from "../../apps/cub/metrics.ts";
import { loadOwnRegistration } from "../../apps/cub/own-registration.ts";
import { readSettings } from "../../apps/cub/settings.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { systemClock } from "../../lib/service/clock.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { stopSignal } from "../../lib/service/stop-signal.ts";

const settings = readSettings(process.env);
const board = await connectBlackboard({
  url: settings.redisUrl,
  instance: settings.instance,
  timeoutMs: settings.redisTimeoutMs,
  giveUpMs: settings.redisGiveUpMs,
  onLost: () => process.exit(1),
});
const encoder = new TextEncoder();
const none = new Uint8Array();
const now = () => Date.now();

const cub = new Cub(
  {
    board,
    registration: await loadOwnRegistration(board, settings),
    workingCopy: undefined,
    hasClaimPrompt: false,
    // The payload is the moment at which the tool began, Unix milliseconds with a fraction.
    runTool: async () => {
      const began = performance.timeOrigin + performance.now();
      const answer = { structural_type: "Terminal", artefact_type: "Done", artefact_payload: String(began), summary: "" };
      return {
        kind: "exited",
        exitCode: 0,
        signal: null,
        stdout: encoder.encode(JSON.stringify(answer)),
        stderr: none,
        durationMs: 0,
      };
    },
    runBidCommand: async () => {
      throw new Error("no bid command here");
    },
    clock: systemClock,
    newId: randomUUID,
    // What a cub says goes to a file or a terminal in real life; its cost is part of the measure.
    log: createJsonLog(console.log, systemClock.now),
    metrics: createCubMetrics(),
    watch: { watcher: new LoopWatch("claim watcher", now), executor: new LoopWatch("work executor", now) },
  },
  settings,
);
await cub.run(stopSignal());
await board[Symbol.asyncDispose]();
