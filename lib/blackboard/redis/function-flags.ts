// The flags of each Lua function, which Redis knows beside its code.
import type { FunctionName } from "./function-table.ts";

type Flag = "no-writes" | "allow-oom";

/**
 * Redis lets functions with these flags do something where it refuses writes. Functions that only
 * read continue. While its memory is full, an agent at work can renew its lease, which needs no
 * room, calls of language models under way can end, and a person can make room or send a request.
 * So can an orchestrator, by what it removes of the agents' mail, and it keeps the lead meanwhile.
 * All others are refused before they begin.
 */
export const functionFlags: Partial<Record<FunctionName, Flag>> = {
  readContext: "no-writes",
  readHeads: "no-writes",
  readOutline: "no-writes",
  readPieces: "no-writes",
  listDue: "no-writes",
  readMail: "no-writes",
  findCaller: "no-writes",
  countLostEvents: "no-writes",
  renewLease: "allow-oom",
  renewCalls: "allow-oom",
  endCall: "allow-oom",
  answerMail: "allow-oom",
  dropMail: "allow-oom",
  reopenMail: "allow-oom",
  acquireLeaderLease: "allow-oom",
  logAsLeader: "allow-oom",
  oweEvent: "allow-oom",
  settleOwed: "allow-oom",
  retireGoal: "allow-oom",
  removeOfGoal: "allow-oom",
  removeEvents: "allow-oom",
  removeOldEvents: "allow-oom",
  forgetRefused: "allow-oom",
  forgetTriggers: "allow-oom",
  recordArchive: "allow-oom",
  eraseArtefacts: "allow-oom",
  logEvent: "allow-oom",
};
