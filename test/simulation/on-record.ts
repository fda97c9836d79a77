// Reads what is on record in the simulated Redis, for faults and for the question whether all has
// come to rest. Nothing changes by it.
import type { Claim, Grant } from "../../lib/model/claim.ts";
import type { AgentName, ArtefactId, ClaimId } from "../../lib/model/ids.ts";
import { claimAt, type History, historyOf } from "../chaos/history.ts";
import { textOf } from "../support/redis-in-memory/bytes.ts";
import { textOfId } from "../support/redis-in-memory/stream.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";
import { snapshotOf } from "./snapshot-of.ts";

export function hashAt({ server }: SimulatedRedis, key: string): ReadonlyMap<string, string> {
  return server.database.readHash(key) ?? new Map();
}

export function agentsOf(redis: SimulatedRedis): AgentName[] {
  return [...hashAt(redis, redis.keys.agents).keys()] as AgentName[];
}

export function sendersOf(redis: SimulatedRedis): AgentName[] {
  return [...hashAt(redis, redis.keys.senders).keys()] as AgentName[];
}

export function openClaims(redis: SimulatedRedis): ClaimId[] {
  return membersOf(redis, redis.keys.openClaims) as ClaimId[];
}

/** In the order of their storing; those that no index knows are left out. */
export function artefactIds(redis: SimulatedRedis): ArtefactId[] {
  return [...hashAt(redis, redis.keys.artefactDigests).keys()] as ArtefactId[];
}

/** Claims that cannot be read are left out. */
export function claimsOf(redis: SimulatedRedis): { claim: Claim; grants: readonly Grant[] }[] {
  const { prefix } = redis.keys;
  const snapshot = snapshotOf(redis.server.database);
  const ids = snapshot.names.flatMap(
    (name) => new RegExp(`^${prefix}claim:([^:]+)$`).exec(name)?.[1] ?? [],
  );
  return ids.flatMap((id) => {
    try {
      const {
        cause: _,
        granted: __,
        bidHash: ___,
        grants,
        ...claim
      } = claimAt(prefix, id, snapshot);
      return [{ claim, grants }];
    } catch {
      return [];
    }
  });
}

export function endOfEvents(redis: SimulatedRedis): string {
  const last = redis.server.database.readStream(redis.keys.events)?.entries.at(-1);
  return last === undefined ? "0" : textOfId(last.id);
}

export function membersOf({ server }: SimulatedRedis, key: string): string[] {
  return (server.database.readSortedSet(key)?.all() ?? []).map(({ member }) => textOf(member));
}

/** What no index knows was written by hand, and not adopted. */
export function historyIn(redis: SimulatedRedis): History {
  const digests = hashAt(redis, redis.keys.artefactDigests);
  return historyOf(snapshotOf(redis.server.database), redis.instance, (id) => digests.has(id));
}
