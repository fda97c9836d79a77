// The log of the memory blackboard.
import type { SettEvent } from "../../model/event.ts";
import { isLater } from "../../model/stream-id.ts";
import type { Log } from "../port/log.ts";
import { copyOf } from "./copy.ts";
import { follow } from "./notifier.ts";
import type { State } from "./state.ts";

export function logOf(state: State, closed: AbortSignal): Log {
  const after = (from: string, count: number): SettEvent[] => {
    // Most readers are near the end.
    let start = state.events.length;
    while (start > 0 && isLater(state.events[start - 1]?.id ?? "0", from)) start -= 1;
    return copyOf(state.events.slice(start, start + count));
  };
  return {
    async logEvent(draft, actor) {
      state.log(draft, actor);
      return state.events.at(-1)?.id ?? "";
    },

    followEvents(from, signal) {
      // Continues at its index, so that a long log is not searched for every batch, unless earlier
      // events were removed.
      let [at, last] = [0, from];
      const nextBatch = () => {
        if (state.events[at - 1]?.id !== last) {
          const start = state.events.findIndex((event) => isLater(event.id, last));
          at = start < 0 ? state.events.length : start;
        }
        const batch = copyOf(state.events.slice(at, at + 500));
        at += batch.length;
        last = batch.at(-1)?.id ?? last;
        return batch;
      };
      return follow(nextBatch, state.changed, AbortSignal.any([signal, closed]));
    },

    async readEvents(from, count) {
      return after(from, count);
    },

    countEvents: async () => state.events.length,
    countLostEvents: async () => state.pruned.added - state.pruned.removed - state.events.length,

    async readEventsBefore(before, count) {
      let end = state.events.length;
      while (before !== undefined && end > 0 && !isLater(before, state.events[end - 1]?.id ?? "0"))
        end -= 1;
      return copyOf(state.events.slice(Math.max(0, end - count), end).reverse());
    },

    async endOfEvents() {
      return state.events.at(-1)?.id ?? "0";
    },
  };
}
