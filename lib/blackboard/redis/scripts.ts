// The Lua scripts as one library of Redis functions, which Redis compiles once, and how one is run.
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Keys } from "../keys.ts";
import acceptGrant from "../lua/accept-grant.lua" with { type: "text" };
import acquireLeaderLease from "../lua/acquire-leader-lease.lua" with { type: "text" };
import adoptArtefact from "../lua/adopt-artefact.lua" with { type: "text" };
import adoptBids from "../lua/adopt-bids.lua" with { type: "text" };
import announceClaim from "../lua/announce-claim.lua" with { type: "text" };
import answerQuestion from "../lua/answer-question.lua" with { type: "text" };
import askPeople from "../lua/ask-people.lua" with { type: "text" };
import clearDue from "../lua/clear-due.lua" with { type: "text" };
import commitClaim from "../lua/commit-claim.lua" with { type: "text" };
import createArtefact from "../lua/create-artefact.lua" with { type: "text" };
import deferDue from "../lua/defer-due.lua" with { type: "text" };
import endGoal from "../lua/end-goal.lua" with { type: "text" };
import finishGrant from "../lua/finish-grant.lua" with { type: "text" };
import giveVerdict from "../lua/give-verdict.lua" with { type: "text" };
import listDue from "../lua/list-due.lua" with { type: "text" };
import listQueued from "../lua/list-queued.lua" with { type: "text" };
import logEvent from "../lua/log-event.lua" with { type: "text" };
import moveCursor from "../lua/move-cursor.lua" with { type: "text" };
import openClaim from "../lua/open-claim.lua" with { type: "text" };
import placeBid from "../lua/place-bid.lua" with { type: "text" };
import prelude from "../lua/prelude.lua" with { type: "text" };
import preludeArtefact from "../lua/prelude-artefact.lua" with { type: "text" };
import preludeBid from "../lua/prelude-bid.lua" with { type: "text" };
import preludeClaim from "../lua/prelude-claim.lua" with { type: "text" };
import preludeGrant from "../lua/prelude-grant.lua" with { type: "text" };
import preludeQuestion from "../lua/prelude-question.lua" with { type: "text" };
import readContext from "../lua/read-context.lua" with { type: "text" };
import readHeads from "../lua/read-heads.lua" with { type: "text" };
import recordDelivery from "../lua/record-delivery.lua" with { type: "text" };
import registerAgents from "../lua/register-agents.lua" with { type: "text" };
import releaseLeaderLease from "../lua/release-leader-lease.lua" with { type: "text" };
import removeOfGoal from "../lua/remove-of-goal.lua" with { type: "text" };
import renewLease from "../lua/renew-lease.lua" with { type: "text" };
import retireGoal from "../lua/retire-goal.lua" with { type: "text" };
import setPaused from "../lua/set-paused.lua" with { type: "text" };
import verifyArtefact from "../lua/verify-artefact.lua" with { type: "text" };
import type { Connection } from "./connection.ts";

const preludes = [prelude, preludeArtefact, preludeBid, preludeGrant, preludeQuestion, preludeClaim];

const scripts = {
  createArtefact,
  readContext,
  readHeads,
  adoptArtefact,
  verifyArtefact,
  endGoal,
  openClaim,
  placeBid,
  adoptBids,
  commitClaim,
  announceClaim,
  acceptGrant,
  listQueued,
  renewLease,
  finishGrant,
  askPeople,
  answerQuestion,
  giveVerdict,
  setPaused,
  registerAgents,
  acquireLeaderLease,
  releaseLeaderLease,
  moveCursor,
  recordDelivery,
  listDue,
  clearDue,
  deferDue,
  logEvent,
  retireGoal,
  removeOfGoal,
};
export type ScriptName = keyof typeof scripts;

/**
 * What Redis lets them do where it refuses writes. Those that read go on; and a full memory keeps neither an agent at work from its lease, which
 * takes no more room, nor people from making room and from what they ask for. All the others are refused before they begin.
 */
const flags: Partial<Record<ScriptName, "no-writes" | "allow-oom">> = {
  readContext: "no-writes",
  readHeads: "no-writes",
  listDue: "no-writes",
  renewLease: "allow-oom",
  retireGoal: "allow-oom",
  removeOfGoal: "allow-oom",
  logEvent: "allow-oom",
};

/** Named after its content: programs of different versions can work on one Redis, each with its own scripts. */
const library = `sett_${createHash("sha1")
  .update(JSON.stringify([preludes, scripts, flags]))
  .digest("hex")
  .slice(0, 12)}`;

const source = [
  `#!lua name=${library}`,
  ...preludes,
  ...Object.entries(scripts).map(([name, body]) => registered(name as ScriptName, body)),
].join("\n");

function registered(name: ScriptName, body: string): string {
  const allowed = flags[name] === undefined ? "" : `'${flags[name]}'`;
  const callback = `function(keys, args)\nbegin(keys, args)\n${body}\nend`;
  return `redis.register_function{ function_name='${library}_${name}', flags={ ${allowed} }, callback=${callback} }`;
}

/** Runs a script; `keys` and `args` are those that its header names after KEYS 1 and ARGV 1. A reply is a list of words. */
export type RunScript = (name: ScriptName, keys: readonly string[], args: readonly (string | Buffer)[]) => Promise<string[]>;

/** `run`: the connection's way to do it, again or once. `nonce` tells this process from all others. */
export function scriptRunner(run: Connection["run"], keys: Keys, nonce: string): RunScript {
  return (name, moreKeys, args) => {
    const allKeys = [keys.events, ...moreKeys];
    const words = ["FCALL", `${library}_${name}`, String(allKeys.length), ...allKeys, keys.prefix, nonce, ...args];
    return run(async (client) => {
      try {
        // Every script answers with a list of strings, and nobody else answers here.
        return (await client.sendCommand(words)) as string[];
      } catch (error) {
        if (!(error instanceof Error) || error.message !== "ERR Function not found") throw error;
        await client.functionLoad(source, { REPLACE: true });
        return (await client.sendCommand(words)) as string[];
      }
    });
  };
}
