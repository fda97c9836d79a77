// Cubs whose tools do nothing, in a process of their own: what is left is Sett itself. SETT_AGENTS
// names them, with commas between. With BENCH_TOOL=started each tool is a program that is started,
// and does nothing but say when.
import process from "node:process";
import { Cub } from "../../apps/cub/cub.ts";
import type { Deps as CubDeps } from "../../apps/cub/program/deps.ts";
import { loadOwnRegistration } from "../../apps/cub/program/own-registration.ts";
import { readSettings } from "../../apps/cub/settings.ts";
import { systemClock } from "../../lib/async/clock.ts";
import { byMail } from "../../lib/blackboard/mail/by-mail.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import type { CommandOutcome } from "../../lib/process/command.ts";
import { runCommand } from "../../lib/process/run-command.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { stopSignal } from "../../lib/service/stop-signal.ts";
import { cubDeps } from "../support/world/deps.ts";
import { startedTool } from "./started-tool.ts";

const encoder = new TextEncoder();
const none = new Uint8Array();
const stop = stopSignal();
const isStarted = process.env.BENCH_TOOL === "started";

/**
 * A reviewer approves; everybody else ends the goal with the moment at which the tool began, Unix
 * milliseconds with a fraction.
 */
function answerTo(stdin: string): object {
  const began = performance.timeOrigin + performance.now();
  if (stdin.startsWith('{"claim_type":"review"')) return { structural_type: "Review", payload: {} };
  return {
    structural_type: "Terminal",
    artefact_type: "Done",
    artefact_payload: String(began),
    summary: "",
  };
}

const startTool: CubDeps["runTool"] = (order) =>
  runCommand({ ...order, command: startedTool, cwd: "/", env: { PATH: process.env.PATH ?? "" } });

async function runTool({ stdin }: { stdin: string }): Promise<CommandOutcome> {
  const stdout = encoder.encode(JSON.stringify(answerTo(stdin)));
  return { kind: "exited", exitCode: 0, signal: null, stdout, stderr: none, durationMs: 0 };
}

async function runCub(agent: string): Promise<void> {
  const settings = readSettings({ ...process.env, SETT_AGENT_NAME: agent });
  const connected = await connectBlackboard({
    url: settings.redisUrl,
    instance: settings.instance,
    timeoutMs: settings.redisTimeoutMs,
    giveUpMs: settings.redisGiveUpMs,
    onLost: () => process.exit(1),
  });
  const board = byMail(connected, {
    agent: settings.agentName,
    timeoutMs: settings.redisTimeoutMs,
  });
  // The measure includes the cub's log, which goes to a file or a terminal in real life.
  const log = createJsonLog(console.log, systemClock.now);
  const cub = new Cub(
    cubDeps({
      board,
      registration: await loadOwnRegistration(board, settings),
      runTool: isStarted ? startTool : runTool,
      log,
    }),
    settings,
  );
  await cub.run(stop);
  await board[Symbol.asyncDispose]();
}

await Promise.all((process.env.SETT_AGENTS ?? "").split(",").map(runCub));
