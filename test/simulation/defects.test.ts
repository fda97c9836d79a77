// A net that catches nothing is none: the mistakes that are planted are found.
import { describe, expect, test } from "bun:test";
import { Decider } from "../../apps/orchestrator/decide/decide-and-commit.ts";
import { Connection } from "../../lib/blackboard/redis/connection.ts";
import { RedisInMemory } from "../support/redis-in-memory/server.ts";
import { defects, searchFor } from "./defects.ts";
import { runSchedule } from "./run-schedule.ts";
import { simulated } from "./simulated-board.ts";

const patienceMs = 600_000;

describe("the simulation notices", () => {
  const common = defects
    .filter(({ isRare }) => isRare !== true)
    .map((defect) => [defect.name, defect] as const);
  test.each(common)(
    "that %s",
    (_name, defect) => {
      expect(searchFor(defect, { most: 2_000 }).rule).toBeString();
    },
    patienceMs,
  );
});

test("there are many mistakes, each under a name of its own", () => {
  expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  expect(defects.length).toBeGreaterThanOrEqual(60);
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
    for (const defect of defects.slice(0, 60)) searchFor(defect, { from: seed, most: 1 });
    expect(methods()).toEqual(before);
    expect(runSchedule(seed).digest).toBe(digest);
  },
  patienceMs,
);
