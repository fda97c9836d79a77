// A net that catches nothing is none: the mistakes that are planted are found.
import { describe, expect, test } from "bun:test";
import { Decider } from "../../apps/orchestrator/decide/decide-and-commit.ts";
import { Connection } from "../../lib/blackboard/redis/connection.ts";
import { RedisInMemory } from "../support/redis-in-memory/server.ts";
import { shownBy } from "./defects/shown-by.ts";
import { defects, type Search, searchFor } from "./defects.ts";
import { Planting } from "./planting.ts";
import { runSchedule } from "./run-schedule.ts";
import { simulated } from "./simulated-board.ts";

const patienceMs = 600_000;
/** As many as simulation.test.ts plays: a mistake is noticed by those that each run has. */
const most = 2_000;

/** Begins with the schedule that has shown it before, if one is known. */
function found(defect: (typeof defects)[number]): Search {
  const seed = shownBy[defect.name];
  const again = seed === undefined ? undefined : searchFor(defect, { from: seed, most: 1 });
  return again?.rule === undefined ? searchFor(defect, { most }) : again;
}

describe("the simulation notices", () => {
  const common = defects
    .filter(({ isRare }) => isRare !== true)
    .map((defect) => [defect.name, defect] as const);
  test.each(common)(
    "that %s",
    (_name, defect) => {
      expect(found(defect).rule).toBeString();
    },
    patienceMs,
  );
});

test("there are many mistakes, each under a name of its own", () => {
  expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  expect(defects.length).toBeGreaterThanOrEqual(60);
});

test("the schedules that are known to show a mistake name one that is there, and are in each run", () => {
  const names = defects.map(({ name }) => name);
  expect(Object.keys(shownBy).filter((name) => !names.includes(name))).toEqual([]);
  expect(Object.values(shownBy).filter((seed) => seed > most)).toEqual([]);
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
