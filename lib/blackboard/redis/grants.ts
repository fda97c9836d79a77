// Grants in Redis: wake-ups, the gate, leases and results.
import type { AgentName, ClaimId } from "../../model/ids.ts";
import { endedGrant } from "../ended-grant.ts";
import { lookAgainMs } from "../look-again.ts";
import type { GrantBoard } from "../port.ts";
import { grantOfText, textOfGrant } from "./claim-fields.ts";
import type { Client } from "./client.ts";
import type { Deps } from "./deps.ts";
import { batchSize, blockMs, followReads } from "./follow.ts";
import { artefactRecord, grantEventData } from "./records.ts";

export function grantsOf({ connection, keys, call, onUnreadable, actorOf }: Deps): GrantBoard {
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
      const stored = { orchestrator: keys.orchestrator, queued: keys.agentQueued(agent), wake_ups: keys.agentGrants(agent) };
      let lookAt = 0;
      return followReads(connection, signal, async (client, isFresh) => {
        const leftMs = lookAt - performance.now();
        if (!isFresh && leftMs > 0) return readWakeUps(client, agent, leftMs);
        const queued = isFresh
          ? await readQueued(client, agent)
          : claimIds(await call("listQueued", stored, { agent, limit: batchSize }));
        lookAt = performance.now() + lookEveryMs;
        return queued;
      });
    },

    acceptGrant({ claim, grant, leaseMs }) {
      const { agent, attempt } = grant;
      return call(
        "acceptGrant",
        { claim: keys.claim(claim), grants: keys.grants(claim), due: keys.due, orchestrator: keys.orchestrator },
        {
          claim,
          agent,
          attempt,
          grant: textOfGrant(grant),
          lease_ms: leaseMs,
          actor: actorOf(agent),
          event_data: grantEventData(grant),
        },
      );
    },

    renewLease({ claim, agent, attempt, leaseMs }) {
      return call("renewLease", { claim: keys.claim(claim), due: keys.due }, { claim, agent, attempt, lease_ms: leaseMs });
    },

    finishGrant({ claim, grant, endedAt, result }) {
      const { agent, attempt } = grant;
      const stored = { claim: keys.claim(claim), grants: keys.grants(claim), due: keys.due };
      return call(
        "finishGrant",
        { ...stored, refused_artefacts: keys.refusedArtefacts },
        {
          claim,
          agent,
          attempt,
          grant: textOfGrant(endedGrant(grant, endedAt, result)),
          artefact: artefactRecord(result.artefact),
          actor: actorOf(agent),
          event_type: eventOfEnd[result.outcome],
          event_data: grantEventData(grant, result.outcome === "failed" ? result.reason : undefined),
        },
      );
    },
  };
}

const eventOfEnd = { done: "grant_done", failed: "grant_failed", asked: "grant_waiting" } as const;

/** Scripts push claim ids; whatever a person pushes turns out to have no grant. */
function claimIds(texts: readonly string[]): ClaimId[] {
  return [...new Set(texts)] as ClaimId[];
}
