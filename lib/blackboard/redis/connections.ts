// The connections that the users of Redis have. Redis takes a certain number, and one agent could
// have them all.
import type { EndedConnections, LeaderLease, SlowCaller, SlowLimit } from "../port/leader.ts";
import type { Deps } from "./deps.ts";
import { agentOfUser } from "./users.ts";

/** The owner, and every connection that has given no password yet. */
const ownerName = "default";

type Connections = Pick<LeaderLease, "countConnections" | "endConnections" | "endSlowCallers">;

/** How many entries of Redis' log of slow commands are looked at: as many as it keeps. */
const slowEntries = 128;
type SlowEntry = [
  id: number,
  seconds: number,
  micros: number,
  words: string[],
  address: string,
  name: string,
];

export function connectionsOf({
  connection,
  user: own,
}: Pick<Deps, "connection" | "user">): Connections {
  return {
    async countConnections() {
      const info = await connection.run((client) => client.info("clients"));
      return Number(/^connected_clients:(\d+)/m.exec(info)?.[1] ?? 0);
    },

    async endConnections(limit) {
      // The orchestrator itself is among these in a Redis without users.
      const isLimited = (user: string) =>
        agentOfUser(user) !== undefined || (user === ownerName && !isOwner(own));
      const counts = countsOf(
        await connection.run((client) => client.sendCommand<string>(["CLIENT", "LIST"])),
      );
      const ended: EndedConnections[] = [];
      let most = 0;
      for (const [user, connections] of counts) {
        if (!isLimited(user)) continue;
        if (connections <= limit) {
          most = Math.max(most, connections);
          continue;
        }
        await connection.run((client) => client.sendCommand(["CLIENT", "KILL", "USER", user]));
        ended.push({ user, agent: agentOfUser(user), connections });
      }
      return { ended, most };
    },

    async endSlowCallers(after, limits) {
      const words = ["SLOWLOG", "GET", String(slowEntries)];
      const entries = await connection.run((client) => client.sendCommand<SlowEntry[]>(words));
      const last = entries[0]?.[0] ?? -1;
      const ended: SlowCaller[] = [];
      // A Redis that was started again counts from the beginning.
      if (after === undefined || last === after || overOf(entries, limits) === undefined)
        return { ended, last };
      const users = usersOf(
        await connection.run((client) => client.sendCommand<string>(["CLIENT", "LIST"])),
      );
      for (const [user, own] of Map.groupBy(
        entries,
        ([, , , , address]) => users.get(address) ?? "",
      )) {
        const agent = agentOfUser(user);
        const over = agent && overOf(own, limits, entries[0]);
        if (agent === undefined || over === undefined) continue;
        await connection.run((client) => client.sendCommand(["CLIENT", "KILL", "USER", user]));
        ended.push({ user, agent, ...over });
      }
      return { ended, last };
    },
  };
}

function isOwner(user: string): boolean {
  return user === "" || user === ownerName;
}

/**
 * Returns what is over the first limit that is reached. Time counts back from the newest entry of
 * all.
 */
function overOf(
  entries: readonly SlowEntry[],
  limits: readonly SlowLimit[],
  newest = entries[0],
): Pick<SlowCaller, "calls" | "ms"> | undefined {
  const now = newest?.[1] ?? 0;
  for (const { calls, fromMs, ms, seconds } of limits) {
    const counted = entries.filter(
      ([, at, micros]) => at > now - seconds && micros >= fromMs * 1_000,
    );
    const sum = Math.round(counted.reduce((total, [, , micros]) => total + micros, 0) / 1_000);
    if (counted.length >= calls && sum >= ms) return { calls: counted.length, ms: sum };
  }
  return undefined;
}

/** Address → user. */
function usersOf(list: string): Map<string, string> {
  return new Map(
    [...list.matchAll(/ addr=(\S+) .* user=(\S*)/g)].map(([, address = "", user = ""]) => [
      address,
      user,
    ]),
  );
}

/**
 * By user. The list has a line for each connection, with fields that depend on the version of
 * Redis.
 */
function countsOf(list: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, user = ""] of list.matchAll(/ user=(\S*)/g))
    counts.set(user, (counts.get(user) ?? 0) + 1);
  return counts;
}
