// What triggers have done, in Redis.
import type { TriggerBoard } from "../trigger-port.ts";
import type { Deps } from "./deps.ts";
import { eventRecord } from "./records.ts";

export function triggersOf({ connection, keys, call }: Deps): TriggerBoard {
  return {
    async readTrigger(name) {
      return new Map(Object.entries(await connection.run((client) => client.hGetAll(keys.trigger(name)))));
    },

    recordTrigger({ record, mark, value, fields = {}, event, actor }) {
      const key = "goal" in record ? keys.goal(record.goal) : keys.trigger(record.trigger);
      return call("recordTrigger", { record: key }, { mark, value, fields, event: event && eventRecord(event, actor) });
    },
  };
}
