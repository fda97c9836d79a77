// The blackboard that ships, on a small Redis in memory: for tests that need no server.
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ArtefactFields } from "../../../lib/blackboard/records/artefact-field-names.ts";
import { storedKindOf } from "../../../lib/blackboard/records/due-member.ts";
import { type Keys, keysOf } from "../../../lib/blackboard/records/keys.ts";
import type { Client } from "../../../lib/blackboard/redis/client.ts";
import type { AgentName, ArtefactId, ClaimId, InstanceName } from "../../../lib/model/ids.ts";
import { bytesOf, textOf } from "../redis-in-memory/bytes.ts";
import { connectDirectly } from "../redis-in-memory/connect.ts";
import { RedisInMemory } from "../redis-in-memory/server.ts";
import { waitFor } from "../wait-for.ts";

export type BlackboardInMemory = {
  /** Another handle on the same state, as another process would have. */
  open(): Promise<Blackboard>;
  /** Every handle's connection is lost and made anew. */
  reconnect(): Promise<void>;
  /** A person can do this with plain commands. */
  readonly hand: ReturnType<typeof handAt>;
};

/** `now` (Unix milliseconds) is the clock of Redis; a test may change it. */
export function blackboardInMemory({
  instance,
  now = Date.now,
}: {
  instance: InstanceName;
  now?: () => number;
}): BlackboardInMemory {
  const redis = new RedisInMemory(now);
  const clients = new Set<Client>();
  const handles = new Set<Blackboard>();
  return {
    async open() {
      const board = await connectDirectly(redis, { instance }, clients);
      handles.add(board);
      const close = board[Symbol.asyncDispose];
      return Object.assign(board, {
        [Symbol.asyncDispose]: async () => {
          handles.delete(board);
          await close();
        },
      });
    },
    async reconnect() {
      const before = [...handles].map((handle) => [handle, handle.connectionNumber()] as const);
      for (const client of [...clients]) {
        client.destroy();
        client.emit("error", new Error("Socket closed unexpectedly"));
      }
      const isNew = () => before.every(([handle, number]) => handle.connectionNumber() > number);
      await waitFor("the new connections", isNew);
    },
    hand: handAt(redis, keysOf(instance)),
  };
}

function handAt(redis: RedisInMemory, keys: Keys) {
  const type = (...words: string[]) => redis.execute(words.map(bytesOf));
  const readHash = (key: string) => {
    const words = (type("HGETALL", key) as string[]).map(textOf);
    const pairs = words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ""]] : []));
    return Object.fromEntries(pairs) as Record<string, string>;
  };
  const electorateOf = (claim: ClaimId) => readHash(keys.claim(claim)).electorate ?? "";
  return {
    writeArtefact: (id: ArtefactId, fields: Partial<ArtefactFields>) =>
      type("HSET", keys.artefact(id), ...Object.entries(fields).flat()),
    readArtefact: (id: ArtefactId): Partial<Record<string, string>> => readHash(keys.artefact(id)),
    removeArtefact: (id: ArtefactId) => type("DEL", keys.artefact(id)),
    /** How many have heard it. */
    publish: (text: string) => Number(type("PUBLISH", keys.artefactChannel, text)),
    /** Says that there may be announcements: how many have heard it. */
    ring: () => Number(type("PUBLISH", keys.announcements, "0-0")),
    countAnnouncements: () => Number(type("XLEN", keys.announcements)),
    /** The answers to what the agent has sent, as pairs of names and values. */
    readAnswers: (agent: AgentName) =>
      (type("XRANGE", keys.mailIn(agent), "-", "+") as [string, string[]][]).map(
        ([, fields]) => fields,
      ),
    readBids: (claim: ClaimId) => readHash(keys.bids(claim)),
    /** So that it cannot be read. */
    breakClaim: (claim: ClaimId) =>
      type("HSET", keys.claim(claim), "electorate", `{${electorateOf(claim)}`),
    /** As it was before. */
    mendClaim: (claim: ClaimId) =>
      type("HSET", keys.claim(claim), "electorate", electorateOf(claim).slice(1)),
    writeRegistration: (agent: AgentName, text: string) => type("HSET", keys.agents, agent, text),
    writeEvent: (entry: Record<string, string>) =>
      type("XADD", keys.events, "*", ...Object.entries(entry).flat()),
    writeOwed: (id: string, text: string) => type("HSET", keys.owedEvents, id, text),
    removeEvent: (id: string) => type("XDEL", keys.events, id),
    writeAnnouncement: (entry: Record<string, string>) =>
      type("XADD", keys.announcements, "*", ...Object.entries(entry).flat()),
    writeDue: (member: string, at: number) =>
      type("ZADD", keys.dueOfKind(storedKindOf(member)), String(at), member),
  };
}
