// Grants in Redis: wake-ups, the gate, leases and results.
import type { AgentName, ClaimId } from "../../model/ids.ts";
import { endedGrant } from "../ended-grant.ts";
import { lookAgainMs } from "../look-again.ts";
import type { GrantBoard } from "../port.ts";
import { grantOfText, textOfGrant } from "./claim-fields.ts";
import type { Client } from "./client.ts";
import type { Deps } from "./deps.ts";
import { batchSize, blockMs, followReads } from "./follow.ts";
import { outcomeOf } from "./replies.ts";
import { artefactWords } from "./script-arguments.ts";

export function grantsOf({ connection, keys, script, onUnreadable, actorOf }: Deps): GrantBoard {
  /** One that somebody has broken by hand must not keep the agent from the others. */
  const isQueued = (text: string | null | undefined, key: string): boolean => {
    if (typeof text !== "string") return false;
    try {
      return grantOfText(text).state === "queued";
    } catch {
      onUnreadable(`a grant at ${key}: it is no JSON`);
      return false;
    }
  };
  /** Also what no index has: it may be older than that. Takes the wake-ups there are. */
  const readQueued = async (client: Client, agent: AgentName): Promise<ClaimId[]> => {
    const woken = (await client.lPopCount(keys.agentGrants(agent), batchSize)) ?? [];
    const open = await client.zRange(keys.openClaims, 0, -1);
    const grants = await Promise.all(open.map((id) => client.hGet(keys.grants(id as ClaimId), agent)));
    const queued = open.filter((id, index) => isQueued(grants[index], keys.grants(id as ClaimId)));
    return claimIds([...queued, ...woken]);
  };
  const readWakeUps = async (client: Client, agent: AgentName, maxMs: number): Promise<ClaimId[]> => {
    // Zero would be for ever.
    const waitMs = Math.max(1, Math.min(blockMs, maxMs));
    const popped = await client.blmPop(waitMs / 1_000, keys.agentGrants(agent), "LEFT", { COUNT: batchSize });
    // The key, then what was at its head.
    const [, woken] = (popped ?? []) as [string?, string[]?];
    return claimIds(woken ?? []);
  };
  return {
    followGrants(agent, signal, lookEveryMs = lookAgainMs) {
      const listed = [keys.orchestrator, keys.agentQueued(agent), keys.agentGrants(agent)];
      let lookAt = 0;
      return followReads(connection, signal, async (client, isFresh) => {
        const leftMs = lookAt - performance.now();
        if (!isFresh && leftMs > 0) return readWakeUps(client, agent, leftMs);
        const queued = isFresh
          ? await readQueued(client, agent)
          : claimIds(await script("listQueued", listed, [agent, String(batchSize)]));
        lookAt = performance.now() + lookEveryMs;
        return queued;
      });
    },

    async acceptGrant({ claim, grant, leaseMs }) {
      const { agent, attempt, phase } = grant;
      const reply = await script(
        "acceptGrant",
        [keys.claim(claim), keys.grants(claim), keys.due, keys.orchestrator],
        [claim, agent, String(attempt), phase, String(leaseMs), textOfGrant(grant), actorOf(agent)],
      );
      return outcomeOf(reply, "accepted");
    },

    async renewLease({ claim, agent, attempt, leaseMs }) {
      const args = [claim, agent, String(attempt), String(leaseMs)];
      return outcomeOf(await script("renewLease", [keys.claim(claim), keys.due], args), "renewed");
    },

    async finishGrant({ claim, grant, endedAt, result }) {
      const { agent, attempt } = grant;
      const reason = result.outcome === "failed" ? JSON.stringify(result.reason) : "";
      const ended = textOfGrant(endedGrant(grant, endedAt, result));
      const reply = await script(
        "finishGrant",
        [keys.claim(claim), keys.grants(claim), keys.due, keys.refusedArtefacts],
        [
          claim,
          agent,
          String(attempt),
          actorOf(agent),
          eventOfEnd[result.outcome],
          ended,
          reason,
          ...artefactWords(result.artefact),
        ],
      );
      return outcomeOf(reply, "finished");
    },
  };
}

const eventOfEnd = { done: "grant_done", failed: "grant_failed", asked: "grant_waiting" } as const;

/** Scripts push claim ids; whatever a person pushes turns out to have no grant. */
function claimIds(texts: readonly string[]): ClaimId[] {
  return [...new Set(texts)] as ClaimId[];
}
