// The Lua functions as one library, which Redis compiles once. Names become positions here, and
// nowhere else: the library reads the words of a call into `keys` and `args` by the names of the
// table.
import { createHash } from "node:crypto";
import type { Keys } from "../records/keys.ts";
import type { SendCall } from "./call.ts";
import type { Client } from "./client.ts";
import type { Connection } from "./connection.ts";
import { functionFlags } from "./function-flags.ts";
import { type FunctionName, functionTable, type Kind, records } from "./function-table.ts";
import acceptGrant from "./lua/accept-grant.lua" with { type: "text" };
import acquireLeaderLease from "./lua/acquire-leader-lease.lua" with { type: "text" };
import adoptArtefact from "./lua/adopt-artefact.lua" with { type: "text" };
import allowBidCalls from "./lua/allow-bid-calls.lua" with { type: "text" };
import announceClaim from "./lua/announce-claim.lua" with { type: "text" };
import answerMail from "./lua/answer-mail.lua" with { type: "text" };
import answerQuestion from "./lua/answer-question.lua" with { type: "text" };
import askCall from "./lua/ask-call.lua" with { type: "text" };
import askPeople from "./lua/ask-people.lua" with { type: "text" };
import beginWork from "./lua/begin-work.lua" with { type: "text" };
import chargeTool from "./lua/charge-tool.lua" with { type: "text" };
import clearDue from "./lua/clear-due.lua" with { type: "text" };
import commitClaim from "./lua/commit-claim.lua" with { type: "text" };
import countLostEvents from "./lua/count-lost-events.lua" with { type: "text" };
import createArtefact from "./lua/create-artefact.lua" with { type: "text" };
import decideCall from "./lua/decide-call.lua" with { type: "text" };
import deferDue from "./lua/defer-due.lua" with { type: "text" };
import dropMail from "./lua/drop-mail.lua" with { type: "text" };
import endCall from "./lua/end-call.lua" with { type: "text" };
import endGoal from "./lua/end-goal.lua" with { type: "text" };
import eraseArtefacts from "./lua/erase-artefacts.lua" with { type: "text" };
import findCaller from "./lua/find-caller.lua" with { type: "text" };
import finishGrant from "./lua/finish-grant.lua" with { type: "text" };
import forgetRefused from "./lua/forget-refused.lua" with { type: "text" };
import forgetTriggers from "./lua/forget-triggers.lua" with { type: "text" };
import freeHolds from "./lua/free-holds.lua" with { type: "text" };
import listDue from "./lua/list-due.lua" with { type: "text" };
import logAsLeader from "./lua/log-as-leader.lua" with { type: "text" };
import logEvent from "./lua/log-event.lua" with { type: "text" };
import moveCursor from "./lua/move-cursor.lua" with { type: "text" };
import noteCheckpoint from "./lua/note-checkpoint.lua" with { type: "text" };
import noteFact from "./lua/note-fact.lua" with { type: "text" };
import notePreparing from "./lua/note-preparing.lua" with { type: "text" };
import openClaim from "./lua/open-claim.lua" with { type: "text" };
import oweEvent from "./lua/owe-event.lua" with { type: "text" };
import pauseGoal from "./lua/pause-goal.lua" with { type: "text" };
import placeBid from "./lua/place-bid.lua" with { type: "text" };
import postAsLeader from "./lua/post-as-leader.lua" with { type: "text" };
import prelude from "./lua/prelude.lua" with { type: "text" };
import preludeArtefact from "./lua/prelude-artefact.lua" with { type: "text" };
import preludeAsked from "./lua/prelude-asked.lua" with { type: "text" };
import preludeBid from "./lua/prelude-bid.lua" with { type: "text" };
import preludeClaim from "./lua/prelude-claim.lua" with { type: "text" };
import preludeContext from "./lua/prelude-context.lua" with { type: "text" };
import preludeGrant from "./lua/prelude-grant.lua" with { type: "text" };
import preludeIndex from "./lua/prelude-index.lua" with { type: "text" };
import preludeMail from "./lua/prelude-mail.lua" with { type: "text" };
import preludeModel from "./lua/prelude-model.lua" with { type: "text" };
import preludePieces from "./lua/prelude-pieces.lua" with { type: "text" };
import preludeQuestion from "./lua/prelude-question.lua" with { type: "text" };
import preludeStart from "./lua/prelude-start.lua" with { type: "text" };
import raiseBudget from "./lua/raise-budget.lua" with { type: "text" };
import raisePeriod from "./lua/raise-period.lua" with { type: "text" };
import readContext from "./lua/read-context.lua" with { type: "text" };
import readHeads from "./lua/read-heads.lua" with { type: "text" };
import readMail from "./lua/read-mail.lua" with { type: "text" };
import readOutline from "./lua/read-outline.lua" with { type: "text" };
import readPieces from "./lua/read-pieces.lua" with { type: "text" };
import recordArchive from "./lua/record-archive.lua" with { type: "text" };
import recordDelivery from "./lua/record-delivery.lua" with { type: "text" };
import recordTrigger from "./lua/record-trigger.lua" with { type: "text" };
import recordVerdict from "./lua/record-verdict.lua" with { type: "text" };
import registerAgents from "./lua/register-agents.lua" with { type: "text" };
import releaseLeaderLease from "./lua/release-leader-lease.lua" with { type: "text" };
import removeEvents from "./lua/remove-events.lua" with { type: "text" };
import removeOfGoal from "./lua/remove-of-goal.lua" with { type: "text" };
import removeOldEvents from "./lua/remove-old-events.lua" with { type: "text" };
import renewCalls from "./lua/renew-calls.lua" with { type: "text" };
import renewLease from "./lua/renew-lease.lua" with { type: "text" };
import reopenMail from "./lua/reopen-mail.lua" with { type: "text" };
import reserveCall from "./lua/reserve-call.lua" with { type: "text" };
import retireGoal from "./lua/retire-goal.lua" with { type: "text" };
import setPaused from "./lua/set-paused.lua" with { type: "text" };
import settleOwed from "./lua/settle-owed.lua" with { type: "text" };
import takeGrant from "./lua/take-grant.lua" with { type: "text" };
import tell from "./lua/tell.lua" with { type: "text" };
import wakeAgents from "./lua/wake-agents.lua" with { type: "text" };

const preludes = [
  prelude,
  preludePieces,
  preludeArtefact,
  preludeContext,
  preludeBid,
  preludeIndex,
  preludeGrant,
  preludeMail,
  preludeStart,
  preludeQuestion,
  preludeClaim,
  preludeModel,
  preludeAsked,
];

const sources: Record<FunctionName, string> = {
  createArtefact,
  readContext,
  readHeads,
  readOutline,
  readPieces,
  adoptArtefact,
  endGoal,
  openClaim,
  placeBid,
  commitClaim,
  announceClaim,
  takeGrant,
  beginWork,
  acceptGrant,
  renewLease,
  notePreparing,
  finishGrant,
  chargeTool,
  askCall,
  askPeople,
  answerQuestion,
  tell,
  recordVerdict,
  setPaused,
  pauseGoal,
  registerAgents,
  acquireLeaderLease,
  releaseLeaderLease,
  moveCursor,
  noteCheckpoint,
  recordDelivery,
  noteFact,
  listDue,
  clearDue,
  decideCall,
  deferDue,
  logAsLeader,
  oweEvent,
  settleOwed,
  readMail,
  answerMail,
  dropMail,
  reopenMail,
  postAsLeader,
  logEvent,
  recordTrigger,
  forgetTriggers,
  allowBidCalls,
  findCaller,
  reserveCall,
  renewCalls,
  endCall,
  raiseBudget,
  raisePeriod,
  freeHolds,
  wakeAgents,
  retireGoal,
  removeOfGoal,
  removeEvents,
  removeOldEvents,
  forgetRefused,
  countLostEvents,
  recordArchive,
  eraseArtefacts,
};

/** The writing functions of those who may write no event: agents themselves, and the notary. */
const withoutEvents: ReadonlySet<FunctionName> = new Set([
  "takeGrant",
  "beginWork",
  "noteCheckpoint",
]);

const code = [
  ...preludes,
  // Members of a table, because Lua takes no more than 200 local variables of one library.
  "local next_record = {}",
  ...Object.entries(records).map(
    ([name, members]) => `function next_record.${name}()\n  return ${tableOf(members)}\nend`,
  ),
  ...Object.entries(sources).map(([name, source]) => registration(name as FunctionName, source)),
].join("\n");

/**
 * Named after its content: programs of different versions can work on one Redis, each with its own
 * functions.
 */
const library = `sett_${createHash("sha1").update(code).digest("hex").slice(0, 12)}`;

function librarySource(): string {
  return `#!lua name=${library}\n${code}`.replaceAll("@library", library);
}

/**
 * The file's own function, between `do` and `end`, and its registration: Redis hands over words,
 * the function gets names. Others call it by `functions`.
 */
function registration(name: FunctionName, source: string): string {
  const { keys, args } = functionTable[name];
  const keyTable = `{ ${keys.map((key, index) => `${key} = KEYS[${index + 2}]`).join(", ")} }`;
  const flag = functionFlags[name] === undefined ? "" : `'${functionFlags[name]}'`;
  const callback = [
    "function(KEYS, ARGV)",
    `  ${writesEvents(name) ? "begin_writing" : "begin"}(KEYS, ARGV)`,
    `  return ${luaName(name)}(${keyTable}, ${tableOf(args)})`,
    "end",
  ].join("\n");
  return `do\n${source}\nfunctions.${luaName(name)} = ${luaName(name)}\nredis.register_function{ function_name='@library_${name}', flags={ ${flag} }, callback=${callback} }\nend`;
}

/** `placeBid` is the function `place_bid` in place-bid.lua. */
function luaName(name: FunctionName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A table constructor: Lua evaluates it in order. */
function tableOf(members: Readonly<Record<string, Kind>>): string {
  return `{ ${Object.entries(members)
    .map(([name, kind]) => `${name} = ${readerOf(kind)}`)
    .join(", ")} }`;
}

function readerOf(kind: Kind): string {
  const item = kind.slice(0, -1);
  if (kind.endsWith("*")) return `next_list(${readerName(item)})`;
  if (kind.endsWith("?")) return `next_optional(${readerName(item)})`;
  return `${readerName(kind)}()`;
}

function readerName(kind: Kind): string {
  if (kind in records) return `next_record.${kind}`;
  return `next_${kind === "bytes" ? "text" : kind}`;
}

/** A function that does not gets the key of the probe in place of the log. */
function writesEvents(name: FunctionName): boolean {
  return functionFlags[name] !== "no-writes" && !withoutEvents.has(name);
}

export type LoadFunctions = (client: Client) => Promise<void>;

/** The user of `client` must be allowed to: the owner of the instance is. */
export const loadFunctions: LoadFunctions = async (client) => {
  await client.functionLoad(librarySource(), { REPLACE: true });
};

/**
 * Resolves when Redis has the functions of this version. One that is full could not load again what
 * it has.
 */
export async function requireFunctions(client: Client): Promise<void> {
  const found = await client.functionList({ LIBRARYNAME: library });
  if (found.length === 0) await loadFunctions(client);
}

/**
 * `run`: the connection's way to do it, again or once. `nonce` distinguishes this process from all
 * others. `load`: what to do where Redis does not have the functions.
 */
export function sendCallOf(
  run: Connection["run"],
  keys: Keys,
  nonce: string,
  load: LoadFunctions,
): SendCall {
  return (name, moreKeys, args) => {
    const isReading = functionFlags[name] === "no-writes";
    // Redis asks for the right to write each key that a call names.
    const allKeys = [writesEvents(name) ? keys.events : keys.probe, ...moreKeys];
    const words = [
      isReading ? "FCALL_RO" : "FCALL",
      `${library}_${name}`,
      String(allKeys.length),
      ...allKeys,
      keys.prefix,
      nonce,
      ...args,
    ];
    return run(async (client) => {
      try {
        // Every function answers with a list of strings.
        return (await client.sendCommand(words)) as string[];
      } catch (error) {
        if (!(error instanceof Error) || error.message !== "ERR Function not found") throw error;
        await load(client);
        return (await client.sendCommand(words)) as string[];
      }
    });
  };
}
