// A program that starts workers has this of a runtime, and nothing more.
import type { Apply, Observe, Workers } from "./port.ts";

export function workersOf(
  { parts, find, logs }: Observe,
  { start, remove, makeVolume }: Apply,
  wait: Workers["wait"],
): Workers {
  return { parts, find, logs, start, remove, makeVolume, wait };
}
