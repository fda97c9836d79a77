// Damage to goals: their status, their count and their end.
import type { History } from "../history.ts";
import { artefact, change, type Damage, drop, event, found, release, repeat } from "./hand.ts";

const goal = (h: History) => found([...h.goals.values()][0], "goal");

function end(h: History, at = h.events.length): void {
  const one = event(h, "claim_completed", { claim: release(h) });
  h.events.splice(at, 0, { ...one, type: "goal_ended", data: { ending: "cancelled" } });
}

export const goalDamages: readonly Damage[] = [
  ["goalsHaveTheStatusThatTheLogSays", "a goal that only the log has cancelled", (h) => end(h)],
  [
    "goalsHaveTheStatusThatTheLogSays",
    "a claim that only the log has open",
    (h) => drop(h, event(h, "claim_completed", { claim: release(h) })),
  ],
  [
    "goalsHaveTheStatusThatTheLogSays",
    "a Failure that only the records make good",
    (h) =>
      drop(
        h,
        ...h.events.filter(
          ({ type, claim_id }) => type === "claim_completed" && claim_id === release(h).id,
        ),
        event(h, "grant_queued", { claim: release(h), agent: "tester" }),
      ),
  ],
  [
    "goalsBeginWithThemselves",
    "a goal that is not its own first artefact",
    (h) => drop(h, event(h, "artefact_created", { artefact: artefact(h, "GoalDefined") })),
  ],
  [
    "artefactsOfAGoalAreCounted",
    "a number that is there twice",
    (h) =>
      change(event(h, "artefact_created", { artefact: artefact(h, "Release") }).data ?? {}, {
        goal_artefacts: 3,
      }),
  ],
  [
    "goalsEndOnceAsTheyAreMarked",
    "a goal that ended twice",
    (h) => {
      end(h);
      repeat(h, event(h, "goal_ended"));
    },
  ],
  [
    "goalsEndOnceAsTheyAreMarked",
    "another end than the log says",
    (h) => {
      end(h);
      change(goal(h), { ended: "artefact_limit" });
    },
  ],
  [
    "endedGoalsGetNothingNew",
    "work after the goal's end",
    (h) => end(h, h.events.indexOf(event(h, "claim_opened"))),
  ],
  [
    "endedGoalsHaveNoOpenClaims",
    "an open claim of an ended goal",
    (h) => {
      change(goal(h), { ended: "cancelled" });
      change(release(h), { status: "pending_parallel" });
    },
  ],
];
