// The blackboard as a simulated program has it: the connection that ships (its repeats, its
// heartbeat, its way back) over a simulated client, and the twin's operations in the place of the
// Lua functions.

import { createMemoryBlackboard } from "../../lib/blackboard/memory/create.ts";
import { entriesAfter } from "../../lib/blackboard/memory/mail-state.ts";
import type { State } from "../../lib/blackboard/memory/state.ts";
import type { Blackboard, ClaimCommit } from "../../lib/blackboard/port/blackboard.ts";
import { LaterConnection } from "../../lib/blackboard/port/later-connection.ts";
import type { Mail } from "../../lib/blackboard/port/mail-port.ts";
import { grantReminderMs } from "../../lib/blackboard/records/grant-reminder.ts";
import type { Client, newClient } from "../../lib/blackboard/redis/client.ts";
import { Connection } from "../../lib/blackboard/redis/connection.ts";
import { followChannel, followReads } from "../../lib/blackboard/redis/follow.ts";
import type { SettError } from "../../lib/model/errors.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import { type AgentName, type ClaimId, InstanceName } from "../../lib/model/ids.ts";
import { isLater } from "../../lib/model/stream-id.ts";
import type { SimulatedClient } from "./simulated-client.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";

type Operation = (...args: unknown[]) => Promise<unknown>;
type Operations = Record<string, Operation>;

/** Everything of the port that is one request and one answer. */
const special =
  /^(?:instance|hasWritten|contact.*|connectionNumber|onReconnect|follow.*|artefactHints)$/;
const operations = Object.keys(
  createMemoryBlackboard({ instance: InstanceName.parse("names") }).open(),
).filter((name) => !special.test(name));

const simulated = (client: Client) => client as unknown as SimulatedClient;

/** As connectBlackboard: rejects with `redis-unreachable`. */
export async function connectSimulated(
  redis: SimulatedRedis,
  {
    giveUpMs,
    isNeeded,
    onLost = () => {},
  }: { giveUpMs?: number; isNeeded?: () => boolean; onLost?: (error: SettError) => void },
): Promise<Blackboard> {
  const makeClient = ((_url: string, connectMs: number, silenceMs: number) =>
    redis.makeClient(silenceMs, connectMs)) as unknown as typeof newClient;
  const url = "redis://simulated:6379";
  const connection = await Connection.open({
    url,
    timeoutMs: 3_000,
    giveUpMs,
    isNeeded,
    onLost,
    makeClient,
  });
  const nonce = crypto.randomUUID();
  const perform = async (name: string, given: unknown[]) => {
    const { readOn, args } = boundTo(name, given);
    const work = (client: Client) =>
      simulated(client).request(name, () =>
        ended((redis.handleOf(nonce) as unknown as Operations)[name]?.(...args)),
      );
    // lib/blackboard/redis/leader.ts says which calls are repeated after a loss of contact.
    const isOnce = name === "moveCursor" || name === "clearDue";
    return resultOf(await (isOnce ? connection.once(work) : connection.run(work, readOn)));
  };
  const board: Record<string, unknown> = {};
  for (const name of operations) board[name] = (...args: unknown[]) => perform(name, args);
  Object.assign(board, followers(redis, connection), {
    // As lib/blackboard/redis/claims.ts: on a later connection the claim may have come to the same
    // `rev` by another way.
    commitClaim: async (commit: ClaimCommit) => {
      const work = (client: Client) => {
        const commitHere = () => {
          const handle = redis.handleOf(nonce);
          return ended(handle.commitClaim({ ...commit, readOn: handle.connectionNumber() }));
        };
        return simulated(client).request("commitClaim", commitHere);
      };
      const stale = (error: unknown) => {
        if (error instanceof LaterConnection) return { value: { outcome: "stale" } };
        throw error;
      };
      return resultOf(await connection.run(work, commit.readOn).catch(stale));
    },
    hasWritten: () =>
      connection.run((client) => simulated(client).request("hasWritten", () => redis.hasWritten)),
    instance: redis.instance,
    contactSince: () => connection.since,
    contactProblem: () => connection.problem,
    connectionNumber: () => connection.number,
    onReconnect: (listener: () => void) => connection.onReconnect(listener),
    [Symbol.asyncDispose]: async () => connection.close(),
  });
  return board as unknown as Blackboard;
}

/** `readOn` is of this program's connection; the twin has another of its own. */
function boundTo(
  name: string,
  [first, ...rest]: unknown[],
): { readOn?: number | undefined; args: unknown[] } {
  if (name === "logAsLeader" || name === "answerMail" || name === "settleOwed")
    return { readOn: rest[1] as number | undefined, args: [first, rest[0]] };
  const order = first as { readOn?: number } | undefined;
  if (order?.readOn === undefined) return { args: [first, ...rest] };
  const { readOn, ...asSent } = order;
  return { readOn, args: [asSent, ...rest] };
}

/**
 * The twin's own failures are answers, which the connection must not take for a loss of contact.
 */
type Ended = { value: unknown } | { error: unknown };

function resultOf(result: unknown): unknown {
  const end = result as Ended;
  if ("error" in end) throw end.error;
  return end.value;
}

async function ended(running: Promise<unknown> | undefined): Promise<Ended> {
  try {
    return { value: await running };
  } catch (error) {
    return { error };
  }
}

/** Most looks find nothing: each follower looks after each change. */
const nothing: readonly never[] = [];

/** As in lib/blackboard/redis: log.ts, claims.ts, grants.ts, artefacts.ts. */
function followers(redis: SimulatedRedis, connection: Connection) {
  return {
    followEvents(from: string, signal: AbortSignal) {
      let last = from;
      const read = async (client: Client) => {
        const batch = await simulated(client).requestBlocked(
          () => eventsAfter(redis.state, last),
          Number.POSITIVE_INFINITY,
        );
        last = (batch as SettEvent[]).at(-1)?.id ?? last;
        return batch as SettEvent[];
      };
      return followReads(connection, signal, read, 10);
    },

    followAnnouncements(from: string, signal: AbortSignal) {
      let last = Number(from);
      const read = async (client: Client) => {
        const look = () => {
          if (redis.state.announcements.length <= last) return nothing;
          const found = redis.announcementsAfter(last);
          return found.batch.length > 0 ? [found] : nothing;
        };
        const [found] = (await simulated(client).requestBlocked(
          look,
          Number.POSITIVE_INFINITY,
        )) as ReturnType<typeof look>;
        last = found?.last ?? last;
        return found?.batch ?? [];
      };
      return followReads(connection, signal, read, 2);
    },

    followGrants(agent: AgentName, signal: AbortSignal, remindEveryMs = grantReminderMs) {
      let remindAt = 0;
      return followReads(connection, signal, async (client, isFresh) => {
        const leftMs = remindAt - performance.now();
        const take = () => takeWakeUps(redis.state, agent);
        if (!isFresh && leftMs > 0)
          return (await simulated(client).requestBlocked(take, leftMs)) as ClaimId[];
        const all = () => [...new Set([...queuedOf(redis.state, agent), ...take()])];
        const queued = await simulated(client).request("takeWakeUps", all);
        remindAt = performance.now() + remindEveryMs;
        return queued as ClaimId[];
      });
    },

    followMailAnswers(agent: AgentName, signal: AbortSignal, onFresh: () => void) {
      let last = "0-0";
      const entries = () => redis.state.mail.in.get(agent) ?? [];
      return followReads(connection, signal, async (client, isFresh) => {
        if (isFresh) {
          last = (await simulated(client).request(
            "readMail",
            () => entries().at(-1)?.place ?? "0-0",
          )) as string;
          onFresh();
        }
        const look = () => entriesAfter(entries(), last);
        const found = (await simulated(client).requestBlocked(
          look,
          Number.POSITIVE_INFINITY,
        )) as ReturnType<typeof look>;
        last = found.at(-1)?.place ?? last;
        return found.map(({ re, text }) => ({ re, text }));
      });
    },

    followMail(signal: AbortSignal, isBusy: (agent: AgentName) => boolean) {
      const places = new Map<AgentName, string>();
      return followReads(connection, signal, async (client, isFresh) => {
        if (isFresh) places.clear();
        const look = () => {
          const all: Mail[] = [];
          for (const [agent, mails] of redis.state.mail.out) {
            if (mails.length === 0 || mails.at(-1)?.place === places.get(agent)) continue;
            const isHeard = redis.state.agents.has(agent) || redis.state.senders.has(agent);
            if (!isHeard || isBusy(agent)) continue;
            for (const mail of entriesAfter(mails, places.get(agent) ?? "0-0"))
              all.push({ agent, ...mail });
          }
          return all;
        };
        const found = (await simulated(client).requestBlocked(
          look,
          Number.POSITIVE_INFINITY,
        )) as ReturnType<typeof look>;
        for (const { agent, place } of found) places.set(agent, place);
        return found;
      });
    },

    artefactHints: (signal: AbortSignal) => followChannel(connection, "hints", signal),
  };
}

function eventsAfter({ events }: State, from: string): readonly SettEvent[] {
  if (events.at(-1)?.id === from) return nothing;
  let start = events.length;
  while (start > 0 && isLater(events[start - 1]?.id ?? "0", from)) start -= 1;
  return events.slice(start, start + 500);
}

function takeWakeUps(state: State, agent: AgentName): readonly ClaimId[] {
  const found = state.wakeUps.get(agent);
  if (found === undefined) return nothing;
  state.wakeUps.delete(agent);
  return [...new Set(found)];
}

function queuedOf(state: State, agent: AgentName): ClaimId[] {
  return [...state.openClaims].filter(
    (id) => state.claims.get(id)?.grants.get(agent)?.state === "queued",
  );
}
