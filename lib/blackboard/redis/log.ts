// The log in Redis: the stream `events`.
import type { SettEvent } from "../../model/event.ts";
import type { Log } from "../port/log.ts";
import { eventOf } from "../records/logged-event.ts";
import type { Deps } from "./deps.ts";
import { followReads } from "./follow.ts";
import { eventRecord } from "./records.ts";
import { endOf, readAfter, type StreamEntry } from "./streams.ts";

export function logOf({ connection, keys, call, onUnreadable }: Deps): Log {
  const read = ({ id, message }: StreamEntry): SettEvent => {
    const event = eventOf(id, message);
    if (event.type === "unreadable")
      onUnreadable(`entry ${id} of ${keys.events}: ${event.data?.reason}`);
    return event;
  };
  return {
    async logEvent(draft, actor) {
      return (await call("logEvent", {}, { event: eventRecord(draft, actor) })).id;
    },

    followEvents(from, signal) {
      let last = from;
      return followReads(
        connection,
        signal,
        async (client) => {
          const entries = await readAfter(client, keys.events, last);
          last = entries.at(-1)?.id ?? last;
          return entries.map(read);
        },
        busyFrom,
      );
    },

    async readEvents(from, count) {
      const entries = await connection.run((client) =>
        client.xRange(keys.events, `(${from}`, "+", { COUNT: count }),
      );
      return (entries ?? []).map(read);
    },

    countEvents: () => connection.run((client) => client.xLen(keys.events)),

    async countLostEvents() {
      const { count, logged } = await call(
        "countLostEvents",
        { log: keys.events, removed_events: keys.removedEvents },
        {},
      );
      return { lost: Number(count), logged: Number(logged) };
    },

    async readEventsBefore(before, count) {
      const end = before === undefined ? "+" : `(${before}`;
      const entries = await connection.run((client) =>
        client.xRevRange(keys.events, end, "-", { COUNT: count }),
      );
      return (entries ?? []).map(read);
    },

    endOfEvents() {
      return connection.run((client) => endOf(client, keys.events));
    },
  };
}

/** A single goal at work brings fewer events at a time. */
const busyFrom = 10;
