// Taking goals that are over off the blackboard, in Redis.
import type { PruneBoard } from "../prune-port.ts";
import type { Deps } from "./deps.ts";
import { certainOutcomeOf } from "./replies.ts";

export function pruneOf({ connection, keys, script }: Deps): PruneBoard {
  return {
    async retireGoal({ goal, artefacts, claims }) {
      const stored = [keys.goal(goal), keys.artefactsOfGoal(goal), keys.openQuestions];
      return certainOutcomeOf(await script("retireGoal", stored, [String(artefacts), String(claims)]), "retired", "changed");
    },

    async reinstateGoal(goal) {
      await connection.run((client) => client.hDel(keys.goal(goal), "retired"));
    },

    async isRetired(goal) {
      return (await connection.run((client) => client.hExists(keys.goal(goal), "retired"))) === 1;
    },

    async removeOfGoal(goal, most) {
      const [, left] = await script("removeOfGoal", [keys.goal(goal), keys.artefactsOfGoal(goal)], [goal, String(most)]);
      return { left: Number(left) };
    },

    async removeEvents(ids) {
      return ids.length === 0 ? 0 : await connection.run((client) => client.xDel(keys.events, [...ids]));
    },
  };
}
