// A net that catches nothing is none: the mistakes that are planted are found.
import { describe, expect, test } from "bun:test";
import { Decider } from "../../apps/orchestrator/decide/decide-and-commit.ts";
import { Connection } from "../../lib/blackboard/redis/connection.ts";
import { RedisInMemory } from "../support/redis-in-memory/server.ts";
import { shownBy } from "./defects/shown-by.ts";
import { canShow, defects, isShown, searchFor } from "./defects.ts";
import { Planting } from "./planting.ts";
import { byDay } from "./play-many.ts";
import { runSchedule } from "./run-schedule.ts";
import { simulated } from "./simulated-board.ts";

const patienceMs = 600_000;
/**
 * How many schedules all tests of this file may play beyond the known ones. A change of the
 * programs gives each seed another schedule, so that a known one may show its mistake no longer;
 * the first few schedules then show most of them.
 */
let spare = 300;

/** Returns the seed of a schedule that shows the mistake. */
function seedThatShows({ name, needs, plant }: (typeof defects)[number]): number | undefined {
  const known = shownBy[name];
  if (known !== undefined && isShown(plant, known)) return known;
  for (let seed = 1; spare > 0 && seed <= byDay; seed += 1) {
    if (!canShow({ needs }, seed)) continue;
    spare -= 1;
    if (isShown(plant, seed)) return seed;
  }
  return undefined;
}

describe("the simulation notices", () => {
  const common = defects
    .filter(({ isRare }) => isRare !== true)
    .map((defect) => [defect.name, defect] as const);
  test.each(common)(
    "that %s",
    (name, defect) => {
      if (seedThatShows(defect) !== undefined) return;
      throw new Error(
        `Schedule ${shownBy[name]} no longer shows that ${name}: is it still noticed? \`npx just simulate --defects --known\` searches for other schedules, and writes them into test/simulation/defects/shown-by.ts.`,
      );
    },
    patienceMs,
  );
});

test("there are many mistakes, each under a name of its own", () => {
  expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  expect(defects.length).toBeGreaterThanOrEqual(60);
});

test("a schedule is known for each mistake that is not rare, and is in each run", () => {
  const common = defects.filter(({ isRare }) => isRare !== true).map(({ name }) => name);
  expect(Object.keys(shownBy).toSorted()).toEqual(common.toSorted());
  // simulation.test.ts holds that these break no rule without a mistake.
  expect(Object.values(shownBy).filter((seed) => seed > byDay)).toEqual([]);
});

test(
  "what is planted for a schedule is gone after it",
  () => {
    const seed = 3;
    const methods = () => [
      ...[RedisInMemory.prototype.sourceOf, simulated.boardOf],
      ...[Decider.prototype.decide, Connection.prototype.run],
    ];
    const [before, { digest }] = [methods(), runSchedule(seed)];
    for (const { plant } of defects) {
      using planting = new Planting();
      plant(planting);
    }
    expect(methods()).toEqual(before);
    // Lua functions that are loaded otherwise may be kept beyond a schedule.
    for (const defect of defects.slice(0, 3)) searchFor(defect, { from: seed, most: 1 });
    expect(runSchedule(seed).digest).toBe(digest);
  },
  patienceMs,
);
