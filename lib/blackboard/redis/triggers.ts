// The record of triggers, in Redis.
import type { TriggerBoard } from "../port/triggers.ts";
import type { Deps } from "./deps.ts";
import { eventRecord } from "./records.ts";

const marksAtOnce = 1_000;

export function triggersOf({ connection, keys, call }: Deps): TriggerBoard {
  return {
    async readTrigger(name) {
      return new Map(
        Object.entries(await connection.run((client) => client.hGetAll(keys.trigger(name)))),
      );
    },

    recordTrigger({ record, mark, value, fields = {}, event, actor }) {
      const key = "goal" in record ? keys.goal(record.goal) : keys.trigger(record.trigger);
      const stored = { record: key, triggers: keys.triggers };
      const trigger = "goal" in record ? "" : record.trigger;
      return call("recordTrigger", stored, {
        trigger,
        mark,
        value,
        fields,
        event: event && eventRecord(event, actor),
      });
    },

    async forgetMarks(name, marks) {
      for (let from = 0; from < marks.length; from += marksAtOnce)
        await connection.run((client) =>
          client.hDel(keys.trigger(name), marks.slice(from, from + marksAtOnce)),
        );
    },

    async forgetTriggers(kept) {
      return Number((await call("forgetTriggers", { triggers: keys.triggers }, { kept })).count);
    },
  };
}
