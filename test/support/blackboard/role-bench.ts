// A blackboard in Redis, as its users share it: each call is made by a user whose program makes it.
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { prepareUsers, settleUsers } from "../../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { type RedisUser, userNameOf } from "../../../lib/blackboard/redis/users.ts";
import { AgentName, type InstanceName } from "../../../lib/model/ids.ts";
import { patient, type RedisServer } from "../redis/redis-server.ts";
import type { Role } from "./port-uses.ts";

type Method = (...words: unknown[]) => unknown;

const password = "a-password";

/** How many blackboards share the users. */
let connected = 0;

/** `callerOf`: who makes the next call of a method; undefined: the owner. */
export async function connectRoles(
  { url }: Pick<RedisServer, "url">,
  instance: InstanceName,
  callerOf: (method: string) => Role | undefined,
): Promise<Blackboard> {
  connected += 1;
  const boards = new Map<string, Promise<Blackboard>>();
  const owner = await connectBlackboard({ url, instance, ...patient });
  const connect = async (user: RedisUser) => {
    await prepareUsers({ url, instance, giveUpMs: patient.giveUpMs }, [{ user, password }]);
    return await connectBlackboard({ url: asUser(url, user, password), instance, ...patient });
  };
  const boardOf = (user: RedisUser) => {
    const found = boards.get(userNameOf(user)) ?? connect(user);
    boards.set(userNameOf(user), found);
    return found;
  };
  // The number of a connection counts for the orchestrator alone.
  const leader = await boardOf({ role: "orchestrator" });
  return new Proxy(owner, {
    get(_, name: keyof Blackboard) {
      if (name === Symbol.asyncDispose) {
        return async () => {
          for (const board of [owner, ...(await Promise.all(boards.values()))])
            await board[Symbol.asyncDispose]();
          connected -= 1;
          // A user that stays keeps its rights, and with each that is made Redis writes down all.
          if (connected === 0) await settleUsers({ url, instance, giveUpMs: patient.giveUpMs }, []);
        };
      }
      if (name === "connectionNumber")
        return () => Math.min(owner.connectionNumber(), leader.connectionNumber());
      const role = callerOf(name);
      if (role === undefined) return owner[name];
      const userOf = (words: unknown[]): RedisUser =>
        role === "agent" ? { role, agent: agentIn(words) } : { role };
      const call = async (words: unknown[]) => {
        const board = await boardOf(userOf(words));
        return (board[name] as Method).apply(board, words);
      };
      if (!/^follow|Hints$/.test(name)) return (...words: unknown[]) => call(words);
      return async function* (...words: unknown[]) {
        yield* (await call(words)) as AsyncIterable<unknown>;
      };
    },
  });
}

export function asUser(url: string, user: RedisUser, password: string): string {
  const { host } = new URL(url);
  return `redis://${userNameOf(user)}:${password}@${host}`;
}

/** The agent that a call is about: its own. */
function agentIn(words: unknown[]): AgentName {
  const [first] = words as [{ agent?: string; grant?: { agent?: string } } | string | undefined];
  const name = typeof first === "string" ? first : (first?.agent ?? first?.grant?.agent);
  return AgentName.safeParse(name).data ?? AgentName.parse("reader");
}
