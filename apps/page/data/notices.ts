// Notifications of the browser, when a person is needed and the page is not in view. The reader
// turns them on.
import { useEffect, useSyncExternalStore } from "react";
import type { SettEvent } from "./contract.ts";
import { stream } from "./stream.ts";

const key = "sett.notices";
const watchers = new Set<() => void>();

export function wantsNotices(): boolean {
  return (
    "Notification" in window &&
    Notification.permission === "granted" &&
    localStorage.getItem(key) === "on"
  );
}

/** `unavailable`: the browser has none, or the reader has refused them. */
export function useNotices(): {
  state: "on" | "off" | "unavailable";
  turn: (on: boolean) => Promise<void>;
} {
  const state = useSyncExternalStore(watch, () => {
    if (!("Notification" in window) || Notification.permission === "denied") return "unavailable";
    return wantsNotices() ? "on" : "off";
  });
  const turn = async (on: boolean) => {
    localStorage.setItem(key, on ? "on" : "off");
    if (on && Notification.permission === "default") await Notification.requestPermission();
    for (const watcher of watchers) watcher();
  };
  return { state, turn };
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** True of the events after which a person is waited for. */
export function asksPeople({ type, actor }: SettEvent): boolean {
  return type === "question_asked" || (type === "grant_waiting" && !actor.startsWith("agent:"));
}

export function useNotifier(): void {
  useEffect(
    () =>
      stream.listen((events) => {
        if (document.visibilityState === "visible" || !wantsNotices()) return;
        const found = events.filter(asksPeople);
        if (found.length === 0) return;
        const body = found.some(({ type }) => type === "question_asked")
          ? "A question waits for you."
          : "A result waits for your verdict.";
        const notice = new Notification("Sett", { body, tag: "sett-inbox" });
        notice.onclick = () => {
          window.focus();
          location.hash = "#/inbox";
          notice.close();
        };
      }),
    [],
  );
}
