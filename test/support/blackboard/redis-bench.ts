// A blackboard in a real Redis, for the suite.

import { randomUUID } from "node:crypto";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { storedKindOf } from "../../../lib/blackboard/records/due-member.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { patient, type RedisServer } from "../redis/redis-server.ts";
import { waitFor } from "../wait-for.ts";
import type { Bench } from "./bench.ts";

/**
 * A fresh instance on `server`; the hand types at redis-cli. `connect`: how a handle comes about.
 */
export async function openRedisBench(
  server: Pick<RedisServer, "url" | "cli">,
  connect = (instance: InstanceName): Promise<Blackboard> =>
    connectBlackboard({ url: server.url, instance, ...patient }),
): Promise<Bench & { key(name: string): string }> {
  const instance = InstanceName.parse(`t-${randomUUID().slice(0, 8)}`);
  const handles: Blackboard[] = [];
  const open = async () => {
    const board = await connect(instance);
    handles.push(board);
    return board;
  };
  const key = (name: string) => `sett:${instance}:${name}`;
  const readHash = async (name: string) => {
    const lines = (await server.cli("--json", "HGETALL", key(name))) || "{}";
    return JSON.parse(lines) as Record<string, string>;
  };
  return {
    board: await open(),
    another: open,
    reconnect: async () => {
      const before = handles.map((handle) => [handle, handle.connectionNumber()] as const);
      await server.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await waitFor("the new connections", () =>
        before.every(([handle, number]) => handle.connectionNumber() > number),
      );
    },
    key,
    hand: {
      writeArtefact: (id, fields) =>
        server.cli("HSET", key(`artifact:${id}`), ...Object.entries(fields).flat()),
      readArtefact: (id) => readHash(`artifact:${id}`),
      removeArtefact: (id) => server.cli("DEL", key(`artifact:${id}`)),
      publish: (text) => server.cli("PUBLISH", key("artefact_events"), text),
      readBids: (claim) => readHash(`claim:${claim}:bids`),
      breakClaim: async (claim) => {
        const electorate = await server.cli("HGET", key(`claim:${claim}`), "electorate");
        await server.cli("HSET", key(`claim:${claim}`), "electorate", `{${electorate}`);
      },
      mendClaim: async (claim) => {
        const broken = await server.cli("HGET", key(`claim:${claim}`), "electorate");
        await server.cli("HSET", key(`claim:${claim}`), "electorate", broken.slice(1));
      },
      writeRegistration: (agent, text) => server.cli("HSET", key("agents"), agent, text),
      writeEvent: (entry) =>
        server.cli("XADD", key("events"), "*", ...Object.entries(entry).flat()),
      removeEvent: (id) => server.cli("XDEL", key("events"), id),
      writeDue: (member, at) =>
        server.cli("ZADD", key(`due:${storedKindOf(member)}`), String(at), member),
      // No test may touch the machine's clock: all that was written by it moves into the future
      // instead.
      setBack: (ms) =>
        server.cli("EVAL", intoTheFuture, "2", key("orchestrator"), key("due:"), String(ms)),
      writeAnnouncement: (entry) =>
        server.cli("XADD", key("claims"), "*", ...Object.entries(entry).flat()),
    },
    [Symbol.asyncDispose]: async () => {
      for (const handle of handles) await handle[Symbol.asyncDispose]();
    },
  };
}

const intoTheFuture = `
for _, field in ipairs({ 'expires_at', 'seen_at' }) do
  local at = redis.call('HGET', KEYS[1], field)
  if at then redis.call('HSET', KEYS[1], field, string.format('%.0f', at + ARGV[1])) end
end
for _, kind in ipairs({ 'bids', 'announce', 'lease', 'attempt' }) do
  local due = KEYS[2] .. kind
  for _, member in ipairs(redis.call('ZRANGE', due, 0, -1)) do redis.call('ZINCRBY', due, ARGV[1], member) end
end
`;
