// The time by the server's clock, once a second, for all that shows how long something takes.
import { useSyncExternalStore } from "react";

let skewMs = 0;
let nowMs = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** `at`: the server's time of an answer that has just arrived. */
export function setServerTime(at: string): void {
  const skew = Date.parse(at) - Date.now();
  // The time that the answer took on its way is no skew.
  if (Number.isFinite(skew)) skewMs = Math.abs(skew) < 1_000 ? 0 : skew;
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  timer ??= setInterval(() => {
    nowMs = Date.now() + skewMs;
    for (const watcher of watchers) watcher();
  }, 1_000);
  return () => {
    watchers.delete(changed);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function useNow(): number {
  return useSyncExternalStore(watch, () => nowMs);
}
