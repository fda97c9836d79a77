// The judge finds nothing in a schedule that went well, and every damage done to it.
import { describe, expect, test } from "bun:test";
import type { SettEvent } from "../../lib/model/event.ts";
import { newArtefactId, sampleArtefact } from "../support/records/sample.ts";
import { calmRules } from "./calm-rules.ts";
import { historyOf, textOfEvent } from "./history-of-memory.ts";
import { type Judged, judge } from "./judge.ts";
import { playGoal } from "./played-goal.ts";
import { promiseRules } from "./promise-rules.ts";

type Damage = readonly [rule: string, title: string, damage: (schedule: Judged) => Judged];

const eventOf = ({ state }: Judged, type: string): SettEvent => {
  const found = state.events.find((event) => event.type === type);
  if (found === undefined) throw new Error(`There is no event ${type}.`);
  return found;
};
/** Whatever the types say. */
function changed(schedule: Judged, target: object, values: Record<string, unknown>): Judged {
  Object.assign(target, values);
  return schedule;
}
const repeat = (schedule: Judged, type: string) => {
  schedule.state.events.push(eventOf(schedule, type));
  return schedule;
};
const saying = (schedule: Judged, type: string, over: Record<string, unknown> = {}) => {
  const bid = eventOf(schedule, "bid_placed");
  schedule.state.events.push({ ...bid, ...over, type } as SettEvent);
  return schedule;
};
/** This event, and all after it, come so much later. */
const late = (schedule: Judged, type: string, ms: number) => {
  const { events } = schedule.state;
  for (const event of events.slice(events.indexOf(eventOf(schedule, type)))) {
    const [at, number] = event.id.split("-").map(Number);
    event.id = `${(at ?? 0) + ms}-${number}`;
  }
  return schedule;
};
const resultOf = ({ state }: Judged) =>
  [...state.artefacts.values()].find(({ type }) => type === "Done") ?? {};

const damages: readonly Damage[] = [
  [
    "noProgramMakesMistakes",
    "a program that ended by itself",
    (schedule) => ({ ...schedule, mistakes: ["worker ended"] }),
  ],
  [
    "everyPostedGoalIsThere",
    "a goal that is nowhere",
    (schedule) => ({ ...schedule, goals: [newArtefactId()] }),
  ],
  [
    "everyGoalComesToAnEnd",
    "a goal without its result",
    (schedule) => changed(schedule, resultOf(schedule), { structural_type: "Review" }),
  ],
  [
    "noWorkIsLostOfACubThatLives",
    "work of a cub that was never ended",
    (schedule) =>
      changed(schedule, resultOf(schedule), { type: "AttemptLost", payload: '{"agent":"worker"}' }),
  ],
  [
    "cancelledGoalsAreCancelled",
    "a goal that goes on",
    (schedule) => ({ ...schedule, cancelled: new Set(schedule.goals) }),
  ],
  [
    "peopleAnswerWhatTheyWereAsked",
    "an answer to what was never asked",
    (schedule) => ({
      ...schedule,
      accepted: [{ question: newArtefactId(), answer: newArtefactId() }],
    }),
  ],
  [
    "peopleLearnWhichAnswerCounts",
    "an answer that does not count",
    (schedule) => ({
      ...schedule,
      accepted: [{ question: newArtefactId(), answer: newArtefactId() }],
    }),
  ],
  [
    "oneOrchestratorLeadsAllTheTime",
    "two leads",
    (schedule) => repeat(schedule, "orchestrator_started"),
  ],
  [
    "noAttemptIsLost",
    "a lost attempt",
    (schedule) => changed(schedule, resultOf(schedule), { type: "AttemptLost", payload: "{}" }),
  ],
  [
    "noMessageIsLostForAFunctionOutOfOrder",
    "a message that was given up because a function failed",
    (schedule) =>
      saying(schedule, "mail_refused", {
        data: { reason: "A function is out of order.", count: 1 },
      }),
  ],
  [
    "nothingIsGivenUp",
    "an event that was given up",
    (schedule) => saying(schedule, "event_given_up"),
  ],
  [
    "nothingIsGivenUp",
    "a result that was refused",
    (schedule) => saying(schedule, "result_refused"),
  ],
  [
    "noBidIsImposedOnThoseWhoSpeak",
    "an imposed bid",
    (schedule) => saying(schedule, "bid_imposed"),
  ],
  [
    "missingBidsAreImposedInTime",
    "a bid that is imposed long after its deadline",
    (schedule) => saying(schedule, "bid_imposed", { id: "9000000-0" }),
  ],
  [
    "claimsAreAnnouncedOnce",
    "a second announcement",
    (schedule) => saying(schedule, "claim_announced"),
  ],
  [
    "everyGoalWithoutFailuresIsAchieved",
    "a goal that is only settled",
    (schedule) => changed(schedule, resultOf(schedule), { structural_type: "Standard" }),
  ],
  [
    "workBeginsAtOnce",
    "a grant that waits for the next look",
    (schedule) => late(schedule, "grant_started", 15_000),
  ],
  [
    "decisionsAreMadeAtOnce",
    "a decision that waits for the next look",
    (schedule) => late(schedule, "claim_completed", 15_000),
  ],
];

const rulesOf = (schedule: Judged) => judge(schedule).map(({ rule }) => rule);

test("a schedule that went well breaks no rule", () => {
  expect(judge(playGoal())).toEqual([]);
});

test("of a schedule that has not come to rest only that is said", () => {
  expect(judge({ ...playGoal(), limbo: "Open claims: 1.", mistakes: ["worker ended"] })).toEqual([
    { kind: "in limbo", rule: "everyScheduleComesToRest", sentence: "Open claims: 1." },
  ]);
});

describe("of each damage", () => {
  test.each(damages)("%s notices %s", (rule, _title, damage) => {
    expect(rulesOf(damage(playGoal()))).toContain(rule);
  });

  test("there is an example for every rule", () => {
    const rules = [...promiseRules, ...calmRules].map(([, { name }]) => name);
    expect([...new Set(damages.map(([rule]) => rule))].toSorted()).toEqual(rules.toSorted());
  });
});

test("what only holds in calm is not asked of a schedule with a fault, nor what Redis may have lost", () => {
  const schedule = {
    ...playGoal(),
    faults: [{ kind: "crash redis" }],
    losses: 1,
    goals: [newArtefactId()],
  };
  expect(rulesOf(saying(schedule, "event_given_up"))).not.toContain("nothingIsGivenUp");
  expect(rulesOf(schedule)).not.toContain("everyPostedGoalIsThere");
});

test("the rules of the chaos runs judge it, too", () => {
  const schedule = playGoal();
  schedule.state.due.set("bids:x", { item: { kind: "unreadable", member: "x" }, at: 0 });
  schedule.state.goals.clear();
  expect(rulesOf(schedule)).toContain("goalsListTheirArtefacts");
});

test("what was written by hand and not adopted is no part of the history", () => {
  const { state, planted } = playGoal();
  const before = historyOf(state, planted);
  const goal = sampleArtefact();
  state.artefacts.set(goal.id, { id: goal.id, payload: "half of one" });
  state.append((id, time) => ({ id, time, type: "unreadable", actor: "hand" }));
  const last = state.events.slice(-1);
  expect(historyOf(state, new Set(last.map(textOfEvent)))).toEqual(before);
  expect(historyOf(state).events.slice(-1)).toEqual(last);
});
