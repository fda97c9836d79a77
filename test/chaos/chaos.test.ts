// A short `just chaos`, for every day. The three seeds hold faults of every kind.
import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { faultKinds, planOf } from "./faults.ts";
import { runChaos } from "./run.ts";

const seeds = [94, 1_086, 1_722];

test("the seeds hold faults of every kind", () => {
  const kinds = new Set(seeds.flatMap((seed) => planOf(seed).faults.map(({ kind }) => kind)));
  expect([...kinds].toSorted()).toEqual(faultKinds.toSorted());
});

test("only the wanted kinds of faults are planned", () => {
  const kinds = seeds.flatMap((seed) =>
    planOf(seed, ["garbage", "fill disk"]).faults.map(({ kind }) => kind),
  );
  expect(new Set(kinds)).toEqual(new Set(["garbage", "fill disk"]));
});

test("the same seed plans the same run", () => {
  expect(planOf(7)).toEqual(planOf(7));
  expect(planOf(7)).not.toEqual(planOf(8));
});

test("a clan whose parts are killed, frozen and starved at random reaches its goals, and breaks no rule on the way", async () => {
  const stop = AbortSignal.timeout(1_000_000);
  const runs = seeds.map((seed) => runChaos(seed, stop));
  // A run that fails leaves the others time to clear away what they have started.
  await Promise.allSettled(runs);
  const reports = await Promise.all(runs);
  expect(
    reports.flatMap(({ seed, folder, violations }) =>
      violations.map((one) => ({ seed, folder, ...one })),
    ),
  ).toEqual([]);
  const happened = reports.flatMap(({ faults }) => faults);
  expect(happened).not.toBeEmpty();
  for (const fault of happened) if (fault.startsWith("SKIPPED")) console.warn(fault);
  // The folders stay where a rule was broken.
  await Promise.all(reports.map(({ folder }) => rm(folder, { recursive: true })));
}, 1_020_000);
