// A short `just chaos`, for every day. The five seeds hold faults of every kind.
import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { planOf } from "./faults.ts";
import { runChaos } from "./run.ts";

const seeds = [1, 5, 7, 19, 24];

test("the seeds hold faults of every kind", () => {
  const kinds = new Set(seeds.flatMap((seed) => planOf(seed).faults.map(({ kind }) => kind)));
  expect([...kinds].toSorted()).toEqual([
    "freeze cub",
    "freeze orchestrator",
    "freeze redis",
    "kill cub",
    "kill orchestrator",
    "kill redis",
  ]);
});

test("the same seed plans the same run", () => {
  expect(planOf(7)).toEqual(planOf(7));
  expect(planOf(7)).not.toEqual(planOf(8));
});

test("a clan whose parts are killed and frozen at random reaches its goals, and breaks no rule on the way", async () => {
  const stop = AbortSignal.timeout(170_000);
  const reports = await Promise.all(seeds.map((seed) => runChaos(seed, stop)));
  expect(reports.flatMap(({ seed, folder, violations }) => violations.map((one) => ({ seed, folder, ...one })))).toEqual([]);
  expect(reports.flatMap(({ faults }) => faults)).not.toBeEmpty();
  // Where a rule was broken they stay.
  await Promise.all(reports.map(({ folder }) => rm(folder, { recursive: true })));
}, 180_000);
