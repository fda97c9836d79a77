// Asks an instance's Redis about itself.

import { owedEventOf } from "../../../lib/blackboard/port/owed-event.ts";
import { type Keys, keysOf } from "../../../lib/blackboard/records/keys.ts";
import { eventOf } from "../../../lib/blackboard/records/logged-event.ts";
import {
  noticeProblemsField,
  noticeProblemsOf,
} from "../../../lib/blackboard/records/notice-problems.ts";
import { traceProblemKey, traceProblemOf } from "../../../lib/blackboard/records/trace-problem.ts";
import type { Client } from "../../../lib/blackboard/redis/client.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import type { RedisUrls } from "../instance/place.ts";
import type { Disk, OwedFacts, RedisFacts } from "./facts.ts";
import { findMistyped } from "./find-mistyped.ts";

const answerWithinMs = 10_000;

/**
 * `redisUrl`: best as the owner, for others may not read its settings. `diskOf`: the file system of
 * the folder in which it keeps its data.
 */
export async function readRedis(
  { redisUrl: url, redisAt: at }: Pick<RedisUrls, "redisUrl" | "redisAt">,
  instance: InstanceName,
  diskOf: (folder: string) => Promise<Disk | undefined>,
): Promise<RedisFacts> {
  const [{ newClient, unreachable }, { unlessWrongType }] = await Promise.all([
    import("../../../lib/blackboard/redis/client.ts"),
    import("../../../lib/blackboard/redis/wrong-type.ts"),
  ]);
  try {
    const client = newClient(url, answerWithinMs, answerWithinMs);
    try {
      await client.connect();
      const info = fieldsOf(await client.info());
      const from = Date.now();
      const [seconds, microseconds] = await client.time();
      const clock: { atMs: number; betweenMs: [number, number] } = {
        atMs: Number(seconds) * 1_000 + Number(microseconds) / 1_000,
        betweenMs: [from, Date.now()],
      };
      // A user with few rights may not read them.
      const settings: Readonly<Record<string, string>> = await client
        .configGet(["appendfsync", "dir"])
        .catch(() => ({}));
      const disk = settings.dir === undefined ? undefined : await diskOf(settings.dir);
      const keys = keysOf(instance);
      const noticed = await client
        .hGet(keys.orchestrator, noticeProblemsField)
        .catch(unlessWrongType(null));
      const reply = await client.get(keys.reply(traceProblemKey)).catch(unlessWrongType(null));
      return {
        state: "answers",
        ...storeOf(info),
        fsync: settings.appendfsync,
        clock,
        disk,
        owed: await readOwed(client, keys).catch(unlessWrongType(noneOwed)),
        mistyped: await findMistyped(client, instance),
        noticeProblems: noticeProblemsOf(noticed),
        traceProblem: traceProblemOf(reply),
      };
    } finally {
      client.destroy();
    }
  } catch (error) {
    return silent(error instanceof SettError ? error : unreachable({ url, at }, error));
  }
}

const noneOwed: OwedFacts = { count: 0, oldest: undefined };

async function readOwed(client: Client, { owedEvents: key, events }: Keys): Promise<OwedFacts> {
  const [first, ...others] = await client.hKeys(key);
  if (first === undefined) return noneOwed;
  const id = others.reduce((oldest, other) => (isLater(oldest, other) ? other : oldest), first);
  const text = (await client.hGet(key, id)) ?? "";
  // A person may have written there what is no place in the log.
  const [entry] = (await client.xRange(events, id, id).catch(() => [])) ?? [];
  const { event, reason } = owedEventOf(id, text, entry && eventOf(id, entry.message));
  return { count: others.length + 1, oldest: { id, type: event.type, reason } };
}

/** Turns an error of sett into a fact. */
export function silent({ message, hint = "Try again." }: SettError): {
  state: "silent";
  message: string;
  hint: string;
} {
  return { state: "silent", message, hint };
}

function fieldsOf(info: string): ReadonlyMap<string, string> {
  return new Map(
    [...info.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}

const checks = {
  aof_last_write_status: "write",
  aof_last_bgrewrite_status: "rewrite",
  rdb_last_bgsave_status: "snapshot",
};

function storeOf(info: ReadonlyMap<string, string>) {
  return {
    version: info.get("redis_version") ?? "",
    isAppendOnly: info.get("aof_enabled") === "1",
    primary:
      info.get("role") === "slave"
        ? `${info.get("master_host")}:${info.get("master_port")}`
        : undefined,
    failed: Object.entries(checks).flatMap(([field, name]) =>
      (info.get(field) ?? "ok") === "ok" ? [] : [name],
    ),
    usedBytes: Number(info.get("used_memory") ?? 0),
    limitBytes: Number(info.get("maxmemory") ?? 0),
    policy: info.get("maxmemory_policy") ?? "",
  };
}
