// Removes goals that are over from the blackboard in Redis.
import { parseJson } from "../../model/json.ts";
import { inOrder, KnownArchive, type PruneBoard } from "../port/prune.ts";
import type { Deps } from "./deps.ts";
import { eventRecord } from "./records.ts";

export function pruneOf({ connection, keys, call }: Deps): PruneBoard {
  return {
    retireGoal({ goal, artefacts, claims }) {
      const stored = {
        goal: keys.goal(goal),
        artefacts_of_goal: keys.artefactsOfGoal(goal),
        open_questions: keys.openQuestions,
      };
      return call(
        "retireGoal",
        { ...stored, goal_budget: keys.goalBudget(goal) },
        { artefacts, claims },
      );
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
      if (ids.length === 0) return 0;
      return Number(
        (await call("removeEvents", { removed_events: keys.removedEvents }, { ids })).count,
      );
    },

    async removeOldEvents(ids, epoch) {
      const stored = { orchestrator: keys.orchestrator, removed_events: keys.removedEvents };
      return { outcome: (await call("removeOldEvents", stored, { epoch, ids })).outcome };
    },

    forgetRefused(epoch) {
      const stored = { orchestrator: keys.orchestrator, refused_artefacts: keys.refusedArtefacts };
      return call("forgetRefused", stored, { epoch });
    },

    async recordArchive(archive, marks, event, actor) {
      const args = {
        sha256: archive.sha256,
        archive: JSON.stringify(archive),
        goals: [...marks.keys()],
        marks: [...marks.values()].map((mark) => JSON.stringify(mark)),
        event: eventRecord(event, actor),
      };
      await call("recordArchive", { archives: keys.archives }, args);
    },

    async listArchives() {
      const texts = await connection.run((client) => client.hVals(keys.archives));
      return inOrder(texts.flatMap((text) => archiveOf(text) ?? []));
    },
  };
}

/** Undefined for what a person has damaged by hand. */
function archiveOf(text: string): KnownArchive | undefined {
  return KnownArchive.safeParse(parseJson(text)).data;
}
