// The pause of an instance, and those of single goals, in Redis.
import { z } from "zod";
import { Actor } from "../../model/event.ts";
import { GoalId } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import type { Pause, PeopleBoard } from "../port/people.ts";
import type { Deps } from "./deps.ts";

export type PauseBoard = Pick<
  PeopleBoard,
  "setPaused" | "readPause" | "pauseGoal" | "readPausedGoals"
>;

export function pausesOf({ connection, keys, callOn }: Deps): PauseBoard {
  return {
    setPaused({ paused, by, at, request, epoch, readOn }) {
      const { orchestrator, agents, paused: pausedSince, pausedMail: paused_mail } = keys;
      const stored = { orchestrator, agents, paused: pausedSince, paused_mail };
      return callOn(readOn)("setPaused", stored, {
        epoch,
        is_paused: paused,
        by,
        since: at,
        request,
      });
    },

    async readPause() {
      const [since, by] = await connection.run((client) =>
        client.hmGet(keys.orchestrator, ["paused_since", "paused_by"]),
      );
      return since && by ? { since, by } : undefined;
    },

    pauseGoal({ goal, paused, by, at, request, epoch, readOn }) {
      const { orchestrator, agents, pausedGoals: paused_goals } = keys;
      const stored = { orchestrator, agents, goal: keys.goal(goal), paused_goals };
      const order = { epoch, goal, is_paused: paused, by, since: at, request };
      return callOn(readOn)("pauseGoal", stored, order);
    },

    async readPausedGoals() {
      const stored = await connection.run((client) => client.hGetAll(keys.pausedGoals));
      return new Map(
        Object.entries(stored).flatMap(([id, text]) => {
          const [goal, pause] = [GoalId.safeParse(id).data, pauseIn(text)];
          return goal === undefined || pause === undefined ? [] : [[goal, pause] as const];
        }),
      );
    },
  };
}

const StoredPause = z.object({ since: z.iso.datetime(), by: Actor });

/** Undefined where a person has damaged it. */
function pauseIn(text: string): Pause | undefined {
  return StoredPause.safeParse(parseJson(text)).data;
}
