// What there is to say of how Redis stands, and what to do.
import type { Situation } from "../facts/blocked-reason.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Style } from "../text/style.ts";

/** Time enough to act before nothing goes on. */
const warnAt = 0.8;

/** Nothing while all is well. */
export function storeLine({ suggest, store }: Pick<Situation, "suggest" | "store">, style: Style): string[] {
  if (store === undefined) return [];
  const { problem, usedBytes, limitBytes } = store;
  const room = `make room with \`${suggest("prune --before 30d")}\`, or raise services.redis.resources.limits.memory in sett.yml, then \`${suggest("up")}\``;
  if (problem !== undefined) {
    const remedy = isFull(problem)
      ? room
      : isOfDisk(problem)
        ? "make room on the disk where it keeps its data"
        : `see \`${suggest("logs redis")}\``;
    return [style.red(`${oneLine(problem)} Nothing is lost, and nothing goes on until it takes them again: ${remedy}`)];
  }
  if (limitBytes === undefined || usedBytes < warnAt * limitBytes) return [];
  const share = `${Math.floor((100 * usedBytes) / limitBytes)} % full (${sizeOf(usedBytes)} of ${sizeOf(limitBytes)})`;
  return [style.yellow(`Redis is ${share}, and takes nothing more when it is full: ${room}`)];
}

const isFull = (problem: string) => problem.includes(" OOM ");
const isOfDisk = (problem: string) => problem.includes(" MISCONF ");

function sizeOf(bytes: number): string {
  const gibibytes = bytes / 1024 ** 3;
  return gibibytes >= 1 ? `${gibibytes.toFixed(1)} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`;
}
