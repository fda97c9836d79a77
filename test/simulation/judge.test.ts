// The judge finds nothing in a schedule that went well, and every damage done to it.
import { describe, expect, test } from "bun:test";
import type { SettEvent } from "../../lib/model/event.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { garbageFor } from "../chaos/garbage.ts";
import { randomOf } from "../chaos/random.ts";
import { newArtefactId, sampleArtefact } from "../support/records/sample.ts";
import { connectDirectly } from "../support/redis-in-memory/connect.ts";
import { calmRules } from "./calm-rules.ts";
import { type Judged, judge } from "./judge.ts";
import { Life } from "./life.ts";
import { historyIn } from "./on-record.ts";
import { playGoal } from "./played-goal.ts";
import { promiseRules } from "./promise-rules.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedRedis } from "./simulated-redis.ts";

type Damage = readonly [rule: string, title: string, damage: (schedule: Judged) => Judged];

const eventOf = ({ history }: Judged, type: string): SettEvent => {
  const found = history.events.find((event) => event.type === type);
  if (found === undefined) throw new Error(`There is no event ${type}.`);
  return found;
};
/** Whatever the types say. */
function changed(schedule: Judged, target: object, values: Record<string, unknown>): Judged {
  Object.assign(target, values);
  return schedule;
}
const repeat = (schedule: Judged, type: string) => {
  schedule.history.events.push(eventOf(schedule, type));
  return schedule;
};
const saying = (schedule: Judged, type: string, over: Record<string, unknown> = {}) => {
  const bid = eventOf(schedule, "bid_placed");
  schedule.history.events.push({ ...bid, ...over, type } as SettEvent);
  return schedule;
};
/** This event, and all after it, come so much later. */
const late = (schedule: Judged, type: string, ms: number) => {
  const { events } = schedule.history;
  for (const event of events.slice(events.indexOf(eventOf(schedule, type)))) {
    const [at, number] = event.id.split("-").map(Number);
    event.id = `${(at ?? 0) + ms}-${number}`;
  }
  return schedule;
};
const resultOf = ({ history }: Judged) =>
  [...history.artefacts.values()].find(({ type }) => type === "Done") ?? {};

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

test("work that ends at a person's word is not lost, also where Redis loses that word", () => {
  const schedule = playGoal();
  changed(schedule, resultOf(schedule), { type: "AttemptLost", payload: '{"agent":"worker"}' });
  const rule = "noWorkIsLostOfACubThatLives";
  const faults = [{ kind: "post a version" }];
  expect(rulesOf({ ...schedule, faults, losses: 0 })).toContain(rule);
  expect(rulesOf({ ...schedule, faults: [{ kind: "skip" }], losses: 1 })).toContain(rule);
  expect(rulesOf({ ...schedule, faults, losses: 1 })).not.toContain(rule);
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
  schedule.history.due.push("bids:x");
  schedule.history.goals.clear();
  expect(rulesOf(schedule)).toContain("goalsListTheirArtefacts");
});

test("what was written by hand and not adopted is no part of the history", async () => {
  const random = randomOf(1);
  const scheduler = new Scheduler(random, new Life("world", 0));
  const redis = new SimulatedRedis(scheduler, random, InstanceName.parse("judged"), [1, 2]);
  const { keys, server, instance } = redis;
  await using board = await connectDirectly(server, { instance });
  const goal = sampleArtefact();
  await board.createArtefact(goal, "person:Ada");
  const before = historyIn(redis);
  expect([...before.artefacts.keys()]).toEqual([goal.id]);
  const another = sampleArtefact();
  redis.hand("HSET", keys.artefact(another.id), "id", another.id, "payload", "half of one");
  redis.hand("XADD", keys.events, "*", ...garbageFor("events", random));
  expect(historyIn(redis)).toEqual(before);
});
