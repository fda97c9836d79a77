// Warnings about the state of Redis, with advice.

import type { Situation } from "../../../lib/client/facts/blocked-reason.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { Style } from "../../../lib/client/text/style.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { sizeText } from "../../../lib/model/size-text.ts";

/** The share of memory at which there is a warning: early enough to act. */
const warnAt = 0.8;

/** Empty while Redis has enough room, takes writes and removes nothing. */
export function storeLine(
  { suggest, store }: Pick<Situation, "suggest" | "store">,
  style: Style,
): string[] {
  if (store === undefined) return [];
  const { problem, usedBytes, limitBytes, policy = "noeviction" } = store;
  const room = `make room with \`${suggest("prune --before 30d")}\`, or raise services.redis.resources.limits.memory in sett.yml, then \`${suggest("up")}\``;
  if (problem !== undefined) {
    return [
      style.red(
        `${oneLine(problem)} Nothing is lost. Work goes on when Redis accepts writes again: ${remedyOf(problem, room, suggest)}`,
      ),
    ];
  }
  if (limitBytes !== undefined && policy !== "noeviction") {
    return [
      style.red(
        `Redis removes goals and results when it is full, since its maxmemory-policy is ${oneLine(policy)}. Set it back before that: \`redis-cli CONFIG SET maxmemory-policy noeviction\`, and in its file of settings`,
      ),
    ];
  }
  if (limitBytes === undefined || usedBytes < warnAt * limitBytes) return [];
  const share = `${Math.floor((100 * usedBytes) / limitBytes)} % full (${sizeText(usedBytes)} of ${sizeText(limitBytes)})`;
  return [
    style.yellow(
      `Redis is ${share}, and refuses writes when it is full, large results first: ${room}`,
    ),
  ];
}

/** `problem` contains the error word of Redis. */
function remedyOf(problem: string, room: string, suggest: Suggest): string {
  if (problem.includes(" OOM ")) return room;
  if (problem.includes(" MISCONF ")) return "make room on the disk where it keeps its data";
  if (problem.includes(" READONLY "))
    return "this server is a replica, which only copies another server; connect to the primary, or make this server the primary";
  return `see \`${suggest("logs redis")}\``;
}
