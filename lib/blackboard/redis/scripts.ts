// The Lua scripts, each with the preludes it needs before it, and how one is run.
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Keys } from "../keys.ts";
import acceptGrant from "../lua/accept-grant.lua" with { type: "text" };
import adoptArtefact from "../lua/adopt-artefact.lua" with { type: "text" };
import adoptBids from "../lua/adopt-bids.lua" with { type: "text" };
import announceClaim from "../lua/announce-claim.lua" with { type: "text" };
import clearDue from "../lua/clear-due.lua" with { type: "text" };
import commitClaim from "../lua/commit-claim.lua" with { type: "text" };
import createArtefact from "../lua/create-artefact.lua" with { type: "text" };
import endGoal from "../lua/end-goal.lua" with { type: "text" };
import finishGrant from "../lua/finish-grant.lua" with { type: "text" };
import leaveSeat from "../lua/leave-seat.lua" with { type: "text" };
import listDue from "../lua/list-due.lua" with { type: "text" };
import logEvent from "../lua/log-event.lua" with { type: "text" };
import moveCursor from "../lua/move-cursor.lua" with { type: "text" };
import openClaim from "../lua/open-claim.lua" with { type: "text" };
import placeBid from "../lua/place-bid.lua" with { type: "text" };
import prelude from "../lua/prelude.lua" with { type: "text" };
import preludeArtefact from "../lua/prelude-artefact.lua" with { type: "text" };
import preludeBid from "../lua/prelude-bid.lua" with { type: "text" };
import preludeClaim from "../lua/prelude-claim.lua" with { type: "text" };
import preludeGrant from "../lua/prelude-grant.lua" with { type: "text" };
import registerAgents from "../lua/register-agents.lua" with { type: "text" };
import renewLease from "../lua/renew-lease.lua" with { type: "text" };
import takeSeat from "../lua/take-seat.lua" with { type: "text" };
import verifyArtefact from "../lua/verify-artefact.lua" with { type: "text" };
import type { Connection } from "./connection.ts";

const scripts = {
  createArtefact: script(prelude, preludeArtefact, createArtefact),
  adoptArtefact: script(prelude, preludeArtefact, adoptArtefact),
  verifyArtefact: script(prelude, preludeArtefact, verifyArtefact),
  endGoal: script(prelude, preludeArtefact, endGoal),
  openClaim: script(prelude, preludeGrant, preludeClaim, openClaim),
  placeBid: script(prelude, preludeBid, placeBid),
  adoptBids: script(prelude, preludeBid, adoptBids),
  commitClaim: script(prelude, preludeArtefact, preludeBid, preludeGrant, preludeClaim, commitClaim),
  announceClaim: script(prelude, preludeGrant, preludeClaim, announceClaim),
  acceptGrant: script(prelude, preludeGrant, acceptGrant),
  renewLease: script(prelude, preludeGrant, renewLease),
  finishGrant: script(prelude, preludeArtefact, preludeGrant, finishGrant),
  registerAgents: script(prelude, registerAgents),
  takeSeat: script(prelude, takeSeat),
  leaveSeat: script(prelude, leaveSeat),
  moveCursor: script(prelude, moveCursor),
  listDue: script(prelude, listDue),
  clearDue: script(prelude, clearDue),
  logEvent: script(prelude, logEvent),
};

type Script = { source: string; sha: string };
export type ScriptName = keyof typeof scripts;

function script(...parts: string[]): Script {
  const source = parts.join("\n");
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}

/** Runs a script; `keys` and `args` are those that its header names after KEYS 1 and ARGV 1. A reply is a list of words. */
export type RunScript = (name: ScriptName, keys: readonly string[], args: readonly (string | Buffer)[]) => Promise<string[]>;

export function scriptRunner(connection: Connection, keys: Keys): RunScript {
  return (name, moreKeys, args) => {
    const { source, sha } = scripts[name];
    const options = { keys: [keys.events, ...moreKeys], arguments: [keys.prefix, ...args] };
    return connection.run(async (client) => {
      try {
        // Every script answers with a list of strings, and nobody else answers here.
        return (await client.evalSha(sha, options)) as string[];
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
        return (await client.eval(source, options)) as string[];
      }
    });
  };
}
