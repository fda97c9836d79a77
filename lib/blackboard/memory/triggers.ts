// What triggers have done, on the memory blackboard.
import type { TriggerBoard } from "../port/triggers.ts";
import type { State } from "./state.ts";

export function triggersOf(state: State): TriggerBoard {
  return {
    async readTrigger(name) {
      return new Map(state.triggers.triggers.get(name));
    },

    async recordTrigger({ record, mark, value, fields = {}, event, actor }) {
      const known: Map<string, Map<string, string>> = "goal" in record
        ? state.triggers.goals
        : state.triggers.triggers;
      const name = "goal" in record ? record.goal : record.trigger;
      const marks = known.get(name) ?? new Map<string, string>();
      if (marks.get(mark) === value) return { outcome: "already" };
      known.set(name, marks.set(mark, value));
      for (const [field, text] of Object.entries(fields)) marks.set(field, text);
      if (event !== undefined) state.log(event, actor);
      return { outcome: "recorded" };
    },

    async forgetMarks(name, marks) {
      for (const mark of marks) state.triggers.triggers.get(name)?.delete(mark);
    },

    async forgetTriggers(kept) {
      const gone = [...state.triggers.triggers.keys()].filter((name) => !kept.includes(name));
      for (const name of gone) state.triggers.triggers.delete(name);
      return gone.length;
    },
  };
}
