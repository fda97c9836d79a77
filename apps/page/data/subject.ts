// Holds what the view that is open is about, such as a goal's summary: the title of the window
// names it, so that each tab says which goal it has.
import { useEffect, useSyncExternalStore } from "react";

let current: string | undefined;
const watchers = new Set<() => void>();

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

function set(subject: string | undefined): void {
  current = subject;
  for (const watcher of watchers) watcher();
}

export function useSubject(): string | undefined {
  return useSyncExternalStore(watch, () => current);
}

/** For as long as the view is there. */
export function useAsSubject(subject: string): void {
  useEffect(() => {
    set(subject);
    return () => set(undefined);
  }, [subject]);
}
