// Grants in Redis: wake-ups, acceptance, leases and results.
import type { Artefact } from "../../model/artefact.ts";
import type { AgentName, ClaimId } from "../../model/ids.ts";
import { laneMoveOf } from "../../model/lane.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type {
  AppliedMail,
  ClaimOfGrant,
  CommittedWith,
  GrantBoard,
  GrantResult,
} from "../port/grants.ts";
import { endData, endedGrant } from "../records/ended-grant.ts";
import { grantReminderMs } from "../records/grant-reminder.ts";
import { outputData } from "../records/output-data.ts";
import { startedData } from "../records/started-data.ts";
import { grantOfText, textOfGrant } from "./claim-fields.ts";
import type { Client } from "./client.ts";
import { commitArgs } from "./commit-args.ts";
import type { Deps } from "./deps.ts";
import { batchSize, blockMs, followReads } from "./follow.ts";
import { artefactRecord } from "./records.ts";
import { beginWorkOf } from "./work.ts";

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the members of one port, each of them short.
export function grantsOf({
  connection,
  keys,
  call,
  callOn,
  onUnreadable,
  actorOf,
}: Deps): GrantBoard {
  /** A grant that a person has damaged must not keep the agent from its other grants. */
  const isQueued = (text: string | null | undefined, key: string): boolean => {
    if (typeof text !== "string") return false;
    try {
      return grantOfText(text).state === "queued";
    } catch {
      onUnreadable(`a grant at ${key}: it is not JSON`);
      return false;
    }
  };
  /** All of the agent's queue. Removes the wake-ups. */
  const readQueued = async (client: Client, agent: AgentName): Promise<ClaimId[]> => {
    const wakeUps = (await client.lPopCount(keys.agentGrants(agent), batchSize)) ?? [];
    const indexed = await client.zRange(keys.agentQueued(agent), 0, -1);
    const grants = await Promise.all(
      indexed.map((id) => client.hGet(keys.grants(id as ClaimId), agent)),
    );
    const queued = indexed.filter((id, index) =>
      isQueued(grants[index], keys.grants(id as ClaimId)),
    );
    return claimIds([...queued, ...wakeUps]);
  };
  const readWakeUps = async (
    client: Client,
    agent: AgentName,
    { maxMs, atOnce }: { maxMs: number; atOnce: number },
  ): Promise<ClaimId[]> => {
    // Zero would be for ever.
    const waitMs = Math.max(1, Math.min(blockMs, maxMs));
    const popped = await client.blmPop(waitMs / 1_000, keys.agentGrants(agent), "LEFT", {
      COUNT: atOnce,
    });
    // The key, then the first entries of its list.
    const [, wakeUps] = (popped ?? []) as [string?, string[]?];
    return claimIds(wakeUps ?? []);
  };
  return {
    followGrants(agent, signal, remindEveryMs = grantReminderMs, atOnce = batchSize) {
      let remindAt = 0;
      return followReads(connection, signal, async (client, isFresh) => {
        const leftMs = remindAt - performance.now();
        if (!isFresh && leftMs > 0) return readWakeUps(client, agent, { maxMs: leftMs, atOnce });
        const queued = await readQueued(client, agent);
        remindAt = performance.now() + remindEveryMs;
        return queued;
      });
    },

    async readGrant(claim, agent) {
      const [[artefact_id, goal_id, kind], text] = await connection.run((client) =>
        Promise.all([
          client.hmGet(keys.claim(claim), ["artefact_id", "goal_id", "kind"]),
          client.hGet(keys.grants(claim), agent),
        ]),
      );
      if (!artefact_id || !goal_id || !kind || text === null) return undefined;
      // Fields that functions wrote are trusted.
      const about = { id: claim, artefact_id, goal_id, kind } as ClaimOfGrant;
      return { claim: about, grant: grantOfText(text) };
    },

    beginWork: beginWorkOf({ keys, callOn }),

    takeGrant({ claim, agent, attempt, queued_at, run, message }) {
      const stored = { taken: keys.agentTaken(agent), mail: keys.mailOut(agent) };
      return call("takeGrant", stored, { claim, agent, attempt, queued_at, run, ...message });
    },

    acceptGrant({ claim, grant, leaseMs, host, mail, readOn }) {
      const { agent, attempt, queued_at } = grant;
      return callOn(readOn)(
        "acceptGrant",
        {
          claim: keys.claim(claim),
          grants: keys.grants(claim),
          due: keys.due,
          orchestrator: keys.orchestrator,
          taken: keys.agentTaken(agent),
        },
        {
          claim,
          agent,
          attempt,
          queued_at,
          run: grant.run_id ?? "",
          grant: textOfGrant(grant),
          lease_ms: leaseMs,
          actor: actorOf(agent, host),
          event_data: JSON.stringify(startedData(grant)),
          mail: appliedMail(mail),
        },
      );
    },

    renewLease({ claim, agent, attempt, leaseMs, readOn }) {
      return callOn(readOn)(
        "renewLease",
        { claim: keys.claim(claim), due: keys.due },
        { claim, agent, attempt, lease_ms: leaseMs },
      );
    },

    notePreparing({ claim, agent, attempt, progress }) {
      const { files, of } = progress === "over" ? { files: 0, of: 0 } : progress;
      return call(
        "notePreparing",
        { claim: keys.claim(claim), preparing: keys.preparing },
        { claim, agent, attempt, files, of, is_over: progress === "over" },
      );
    },

    async finishGrant({
      claim,
      grant,
      endedAt,
      result,
      host,
      mail,
      readOn,
      start,
      commit,
      isUnlogged = false,
    }) {
      const { agent, attempt, queued_at } = grant;
      const { orchestrator, due, openClaims } = keys;
      const stored = {
        claim: keys.claim(claim),
        grants: keys.grants(claim),
        bids: keys.bids(claim),
        taken: keys.agentTaken(agent),
      };
      const ended = endedGrant(grant, endedAt, result);
      const move = laneMoveOf(result.artefact);
      const reply = await callOn(readOn)(
        "finishGrant",
        {
          ...stored,
          due,
          orchestrator,
          refused_artefacts: keys.refusedArtefacts,
          open_claims: openClaims,
          lanes: keys.lanes,
        },
        {
          claim,
          agent,
          attempt,
          queued_at,
          grant: textOfGrant(ended),
          artefact: artefactRecord(result.artefact),
          pieces: (piecesOf(result) ?? []).map(artefactRecord),
          actor: actorOf(agent, host),
          event_type: eventOfOutcome[result.outcome],
          event_data: JSON.stringify({
            ...endData(ended),
            ...withoutUndefined({ stdin: result.stdin, remarks: result.remarks?.join(" ") }),
            ...outputData(result.output),
          }),
          output: result.output && JSON.stringify(result.output),
          lane: move && { name: move.lane, onto: move.onto, commit: move.commit },
          mail: appliedMail(mail),
          start: start && {
            run: grant.run_id ?? "",
            grant: textOfGrant(grant),
            lease_ms: start.leaseMs,
            event_data: JSON.stringify(startedData(grant)),
          },
          commit: commit && commitArgs(commit),
          is_unlogged: isUnlogged,
        },
      );
      if (reply.outcome !== "finished") return reply;
      return reply.commit === ""
        ? { outcome: "finished" }
        : { outcome: "finished", commit: committedWith(reply) };
    },
  };
}

function piecesOf(result: GrantResult): Artefact[] | undefined {
  return result.outcome === "done" ? result.pieces : undefined;
}

/** `rev`: the reason where it is refused. */
function committedWith({ commit, rev }: { commit: string; rev: string }): CommittedWith {
  if (commit === "committed") return { outcome: commit, rev: Number(rev) };
  if (commit === "refused") return { outcome: commit, reason: rev };
  // The function answers with one of commit-claim's outcomes.
  return { outcome: commit as "stale" | "fenced" | "gone" };
}

const eventOfOutcome = {
  done: "grant_done",
  failed: "grant_failed",
  asked: "grant_waiting",
} as const;

function appliedMail(mail: AppliedMail | undefined) {
  return mail && { place: mail.place, id: mail.id, is_quiet: mail.isQuiet };
}

/** Functions push claim ids; whatever a person pushes has no grant. */
function claimIds(texts: readonly string[]): ClaimId[] {
  return [...new Set(texts)] as ClaimId[];
}
