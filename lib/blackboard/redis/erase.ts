// Takes the content of artefacts away in Redis.
import type { EraseBoard } from "../port/erase.ts";
import type { Deps } from "./deps.ts";
import { eventRecord } from "./records.ts";

export function eraseOf({ keys, call }: Deps): EraseBoard {
  return {
    async eraseArtefacts({ goal, erasures, actor }) {
      const stored = {
        goal: keys.goal(goal),
        artefacts_of_goal: keys.artefactsOfGoal(goal),
        digests: keys.artefactDigests,
        with_commit: keys.artefactsWithCommit,
        refused_artefacts: keys.refusedArtefacts,
        open_questions: keys.openQuestions,
      };
      const reply = await call("eraseArtefacts", stored, {
        goal,
        ids: erasures.map(({ id }) => id),
        metadata: erasures.map(({ metadata }) => JSON.stringify(metadata)),
        events: erasures.map(({ event }) => eventRecord(event, actor)),
      });
      if (reply.outcome !== "erased") return reply;
      return { outcome: "erased", count: Number(reply.count) };
    },
  };
}
