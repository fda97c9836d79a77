// Removes goals that are over from the blackboard in Redis.
import type { PruneBoard } from "../prune-port.ts";
import type { Deps } from "./deps.ts";

export function pruneOf({ connection, keys, call }: Deps): PruneBoard {
  return {
    retireGoal({ goal, artefacts, claims }) {
      const stored = { goal: keys.goal(goal), artefacts_of_goal: keys.artefactsOfGoal(goal), open_questions: keys.openQuestions };
      return call("retireGoal", { ...stored, goal_budget: keys.goalBudget(goal) }, { artefacts, claims });
    },

    async reinstateGoal(goal) {
      await connection.run((client) => client.hDel(keys.goal(goal), "retired"));
    },

    async isRetired(goal) {
      return (await connection.run((client) => client.hExists(keys.goal(goal), "retired"))) === 1;
    },

    async removeOfGoal(goal, limit) {
      const stored = { goal: keys.goal(goal), artefacts_of_goal: keys.artefactsOfGoal(goal) };
      const { count } = await call("removeOfGoal", stored, { goal, limit });
      return { left: Number(count) };
    },

    async removeEvents(ids) {
      return ids.length === 0 ? 0 : await connection.run((client) => client.xDel(keys.events, [...ids]));
    },
  };
}
