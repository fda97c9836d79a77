// A program that starts workers has this of a runtime, and nothing more.
import type { Apply, Observe, Workers } from "./port.ts";

export function workersOf(
  { parts, find, logs }: Observe,
  { start, remove, makeVolume }: Apply,
  wait: Workers["wait"],
  layers?: Workers["layers"],
): Workers {
  const workers = { parts, find, logs, start, remove, makeVolume, wait };
  return layers === undefined ? workers : { ...workers, layers };
}
