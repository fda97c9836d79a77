// The two blackboards of one sequence: empty, with the same clock, and with two handles each.

import { contactOf } from "../../../../lib/blackboard/memory/contact.ts";
import { handOf, openHandle } from "../../../../lib/blackboard/memory/create.ts";
import { State } from "../../../../lib/blackboard/memory/state.ts";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import { announcementOf } from "../../../../lib/blackboard/records/announced-claim.ts";
import { storedKindOf } from "../../../../lib/blackboard/records/due-member.ts";
import { keysOf } from "../../../../lib/blackboard/records/keys.ts";
import { connectBlackboard } from "../../../../lib/blackboard/redis/connect.ts";
import { type ClaimId, InstanceName } from "../../../../lib/model/ids.ts";
import { patient } from "../../redis/redis-server.ts";
import type { Side } from "./side.ts";
import { stateOfMemory } from "./state-of-memory.ts";
import { stateOfRedis } from "./state-of-redis.ts";
import { startVirtualRedis, type VirtualRedis } from "./virtual-redis.ts";

const instance = InstanceName.parse("twins");
const keys = keysOf(instance);

/** As `Date` begins in each sequence. */
export const firstMs = Date.UTC(2026, 0, 1);

export type RedisSides = AsyncDisposable & {
  /** Empties the Redis. */
  fresh(): Promise<Side>;
};

export async function openRedisSides(): Promise<RedisSides> {
  const redis = await startVirtualRedis();
  const open = () => connectBlackboard({ url: redis.url, instance, ...patient });
  const boards = [await open(), await open()] as const;
  return {
    fresh: async () => {
      await redis.raw.flushDb();
      await redis.setClock(firstMs);
      return redisSide(redis, boards);
    },
    [Symbol.asyncDispose]: async () => {
      for (const board of boards) await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

function redisSide(redis: VirtualRedis, boards: readonly [Blackboard, Blackboard]): Side {
  const { raw } = redis;
  const setElectorate = async (claim: ClaimId, of: (text: string) => string) => {
    const text = await raw.hGet(keys.claim(claim), "electorate");
    if (text !== null) await raw.hSet(keys.claim(claim), "electorate", of(text));
  };
  return {
    boards,
    setClock: (ms) => redis.setClock(ms),
    announcements: async () =>
      ((await raw.xRange(keys.announcements, "-", "+")) ?? []).map(({ id, message }) => ({
        id,
        isReadable: announcementOf(message) !== undefined,
      })),
    readState: () => stateOfRedis(redis, keys.prefix),
    hand: {
      writeArtefact: (id, fields) => raw.hSet(keys.artefact(id), fields),
      readArtefact: (id) => raw.hGetAll(keys.artefact(id)),
      removeArtefact: (id) => raw.del(keys.artefact(id)),
      publish: (text) => raw.publish(keys.artefactChannel, text),
      readBids: (claim) => raw.hGetAll(keys.bids(claim)),
      breakClaim: (claim) =>
        setElectorate(claim, (text) => (text.startsWith("{") ? text : `{${text}`)),
      mendClaim: (claim) => setElectorate(claim, (text) => text.replace(/^\{/, "")),
      writeRegistration: (agent, text) => raw.hSet(keys.agents, agent, text),
      writeEvent: (entry) => redis.append(keys.events, entry),
      writeAnnouncement: (entry) => raw.xAdd(keys.announcements, "*", entry),
      removeEvent: (id) => raw.xDel(keys.events, id),
      writeDue: (member, at) =>
        raw.zAdd(keys.dueOfKind(storedKindOf(member)), { value: member, score: at }),
    },
  };
}

/** `state` is what the moves choose their arguments from. */
export function memorySide(): Side & { state: State } {
  let nowMs = firstMs;
  const now = () => nowMs;
  const state = new State(now);
  const hand = handOf(state);
  const open = () =>
    openHandle(state, { instance, nonce: crypto.randomUUID(), contact: contactOf().contact });
  return {
    state,
    boards: [open(), open()],
    setClock: async (ms) => {
      nowMs = ms;
    },
    announcements: async () =>
      state.announcements.map((_, place) => ({ id: String(place + 1), isReadable: true })),
    readState: async () => stateOfMemory(state),
    hand: {
      writeArtefact: async (id, fields) => hand.writeArtefact(id, fields),
      readArtefact: async (id) => hand.readArtefact(id),
      removeArtefact: async (id) => hand.removeArtefact(id),
      publish: async (text) => hand.publish(text),
      readBids: async (claim) => hand.readBids(claim),
      breakClaim: async (claim) => hand.breakClaim(claim),
      mendClaim: async (claim) => hand.mendClaim(claim),
      writeRegistration: async (agent, text) => hand.writeRegistration(agent, text),
      writeEvent: async (entry) => hand.writeEvent(entry),
      writeAnnouncement: async (entry) => hand.writeAnnouncement(entry),
      removeEvent: async (id) => hand.removeEvent(id),
      writeDue: async (member, at) => hand.writeDue(member, at),
    },
  };
}
