// A cub in a process of its own whose tool runs in this process, takes a while, and now and then
// fails a first attempt.
import { existsSync } from "node:fs";
import process from "node:process";
import { readOwnProcess } from "../../apps/cub/container/own-process.ts";
import { Cub } from "../../apps/cub/cub.ts";
import { loadOwnRegistration } from "../../apps/cub/program/own-registration.ts";
import { readSettings } from "../../apps/cub/settings.ts";
import { systemClock } from "../../lib/async/clock.ts";
import { sleep } from "../../lib/async/sleep.ts";
import { byMail } from "../../lib/blackboard/mail/by-mail.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { messageOf } from "../../lib/model/errors.ts";
import { ToolInput } from "../../lib/model/tool-contract.ts";
import type { CommandOutcome } from "../../lib/process/command.ts";
import { failAs } from "../../lib/service/fatal-error.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { stopSignal } from "../../lib/service/stop-signal.ts";
import { cubDeps } from "../support/world/deps.ts";
import { answerOf, brokenMark } from "./clan.ts";
import { randomOf } from "./random.ts";

const settings = readSettings(process.env);
const random = randomOf(Number(process.env.SETT_CHAOS_SEED));
const fail = failAs("cub");

/** The share of first attempts that fail. */
const failShare = Number(process.env.SETT_CHAOS_FAIL_SHARE);

const connected = await connectBlackboard({
  url: settings.redisUrl,
  instance: settings.instance,
  timeoutMs: settings.redisTimeoutMs,
  giveUpMs: settings.redisGiveUpMs,
  onLost: fail,
}).catch(fail);
const board = byMail(connected, { agent: settings.agentName, timeoutMs: settings.redisTimeoutMs });
const registration = await loadOwnRegistration(board, settings).catch(fail);
const broken = brokenMark(String(process.env.SETT_CHAOS_FOLDER), settings.agentName);
let attempt = 0;

const deps = cubDeps({
  board: {
    ...board,
    // The tool does not know which attempt it is.
    beginWork: async (order) => {
      const begun = await board.beginWork(order);
      if (begun.outcome === "taken") attempt = begun.grant.attempt;
      return begun;
    },
    acceptGrant: (order) => {
      attempt = order.grant.attempt;
      return board.acceptGrant(order);
    },
  },
  registration,
  runTool,
  ownProcess: readOwnProcess(),
  log: createJsonLog(console.log, systemClock.now),
});
await new Cub(deps, settings).run(stopSignal()).catch(fail);
await board[Symbol.asyncDispose]();

async function runTool({
  stdin,
  signal,
}: {
  stdin: string;
  signal: AbortSignal;
}): Promise<CommandOutcome> {
  // A few tools are slow, so that some work is always under way when something breaks.
  const durationMs = random.chance(0.2) ? random.between(300, 1_200) : random.between(2, 120);
  await sleep(durationMs, signal);
  if (signal.aborted)
    return { ...ended("", durationMs), kind: "aborted", exitCode: null, signal: "SIGTERM" };
  if (existsSync(broken)) return { ...ended("", durationMs), exitCode: 127 };
  if (attempt === 1 && random.chance(failShare)) return { ...ended("", durationMs), exitCode: 1 };
  try {
    const answer = answerOf(registration.current.role, ToolInput.parse(JSON.parse(stdin)));
    return ended(JSON.stringify(answer), durationMs);
  } catch (error) {
    return {
      ...ended("", durationMs),
      exitCode: 2,
      stderr: new TextEncoder().encode(messageOf(error)),
    };
  }
}

function ended(stdout: string, durationMs: number) {
  const none = new Uint8Array();
  return {
    kind: "exited" as const,
    exitCode: 0,
    signal: null,
    stdout: new TextEncoder().encode(stdout),
    stderr: none,
    durationMs,
  };
}
