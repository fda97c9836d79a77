// Notifications of the browser, of what the reader has chosen, while the page is not in view.
import { useEffect, useRef, useSyncExternalStore } from "react";
import type { SettEvent } from "./contract.ts";
import { stream } from "./stream.ts";

const kinds = ["questions", "verdicts", "goals"] as const;
export type NoticeKind = (typeof kinds)[number];

const key = "sett.notices";
const watchers = new Set<() => void>();

/** `none`: the browser has no notifications; `refused`: the reader has said no. */
export type Notices = {
  state: "able" | "refused" | "none";
  wanted: readonly NoticeKind[];
  want: (kind: NoticeKind, isWanted: boolean) => Promise<void>;
};

export function useNotices(): Notices {
  const state = useSyncExternalStore(watch, () =>
    !("Notification" in window)
      ? "none"
      : Notification.permission === "denied"
        ? "refused"
        : "able",
  );
  const text = useSyncExternalStore(watch, () => localStorage.getItem(key) ?? "");
  const wanted = wantedIn(text);
  const want = async (kind: NoticeKind, isWanted: boolean) => {
    const chosen = kinds.filter((each) => (each === kind ? isWanted : wanted.includes(each)));
    localStorage.setItem(key, chosen.join(" "));
    if (isWanted && Notification.permission === "default") await Notification.requestPermission();
    for (const watcher of watchers) watcher();
  };
  return { state, wanted, want };
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

function wantedIn(text: string): NoticeKind[] {
  const words = text.split(" ");
  return kinds.filter((kind) => words.includes(kind));
}

/** The kinds that the reader wants and the browser shows. */
function shownKinds(): NoticeKind[] {
  const isShown = "Notification" in window && Notification.permission === "granted";
  return isShown ? wantedIn(localStorage.getItem(key) ?? "") : [];
}

/** Events are wanted although the page is not in view. */
export function wantsNotices(): boolean {
  return shownKinds().length > 0;
}

/** `judged`: the agents whose verdicts the reader may give. Undefined: nothing to notify of. */
export function noticeKind(event: SettEvent, judged: readonly string[]): NoticeKind | undefined {
  switch (event.type) {
    case "question_asked":
      return "questions";
    case "grant_waiting":
      return judged.includes(String(event.agent)) ? "verdicts" : undefined;
    case "goal_ended":
      return "goals";
    default:
      return undefined;
  }
}

const sentences: Record<NoticeKind, string> = {
  questions: "A question waits for you.",
  verdicts: "A result waits for your verdict.",
  goals: "A goal has ended.",
};

/** `judged`: as in `noticeKind`. */
export function useNotifier(judged: readonly string[] = []): void {
  const newest = useRef(judged);
  newest.current = judged;
  useEffect(
    () =>
      stream.listen((events) => {
        if (document.visibilityState === "visible") return;
        const found = new Set(events.map((event) => noticeKind(event, newest.current)));
        const kind = shownKinds().find((each) => found.has(each));
        if (kind === undefined) return;
        const notice = new Notification("Sett", { body: sentences[kind], tag: "sett-inbox" });
        notice.onclick = () => {
          window.focus();
          location.hash = kind === "goals" ? "#/goals" : "#/inbox";
          notice.close();
        };
      }),
    [],
  );
}
