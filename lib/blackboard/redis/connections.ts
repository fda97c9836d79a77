// The connections that the users of Redis have. Redis takes a certain number, and one agent could
// have them all.
import type { EndedConnections, LeaderLease } from "../port/leader.ts";
import type { Deps } from "./deps.ts";
import { slowCallersOf } from "./slow-callers.ts";
import { agentOfUser, prefixOfUser } from "./users.ts";

/** The owner, and every connection that has given no password yet. */
const ownerName = "default";

type Connections = Pick<LeaderLease, "countConnections" | "endConnections" | "endSlowCallers">;

export function connectionsOf({
  connection,
  user: own,
}: Pick<Deps, "connection" | "user">): Connections {
  const prefix = prefixOfUser(own);
  return {
    ...slowCallersOf({ connection, user: own }),

    async countConnections() {
      const info = await connection.run((client) => client.info("clients"));
      return Number(/^connected_clients:(\d+)/m.exec(info)?.[1] ?? 0);
    },

    async endConnections(limit) {
      // The orchestrator itself is among these in a Redis without users. In one that others use,
      // too, the connections of its owner are none of this instance's.
      const isLimited = (user: string) =>
        agentOfUser(user, prefix) !== undefined ||
        (user === ownerName && prefix === "" && !isOwner(own));
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
        ended.push({ user, agent: agentOfUser(user, prefix), connections });
      }
      return { ended, most };
    },
  };
}

function isOwner(user: string): boolean {
  return user === "" || user === ownerName;
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
