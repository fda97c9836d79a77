// The schedules that every run of the tests plays, and what makes them worth playing: they repeat
// exactly, and find what is planted.
import { expect, test } from "bun:test";
import { Orchestrator } from "../../apps/orchestrator/orchestrator.ts";
import { textOf } from "./faults.ts";
import { findings } from "./findings.ts";
import { byDay, playMany } from "./play-many.ts";
import { plannedFaults, runSchedule } from "./run-schedule.ts";

test(`${byDay} schedules come to rest, and break no rule`, async () => {
  const failed = await playMany(Array.from({ length: byDay }, (_, index) => index + 1));
  expect(failed.map(({ seed, needed, sentences }) => ({ seed, needed, sentences }))).toEqual([]);
}, 3_000_000);

test("a seed repeats its schedule, event by event, and what is on record after it", () => {
  const traceOf = (seed: number) => {
    const lines: string[] = [];
    const { digest, history } = runSchedule(seed, { trace: (line) => lines.push(line) });
    return { lines, digest, history };
  };
  for (const seed of [7, 11, 23]) {
    const one = traceOf(seed);
    expect(one.lines.length).toBeGreaterThan(100);
    expect(traceOf(seed)).toEqual(one);
    expect(runSchedule(seed).digest).toBe(one.digest);
  }
  expect(traceOf(8).digest).not.toBe(traceOf(9).digest);
}, 600_000);

test("the seeds plan faults of every kind", () => {
  const seeds = Array.from({ length: byDay }, (_, index) => index + 1);
  const kinds = new Set(seeds.flatMap((seed) => plannedFaults(seed).map(({ kind }) => kind)));
  expect([...kinds].toSorted()).toEqual([
    "another cub",
    "another orchestrator",
    "break tool",
    "cancel",
    "crash",
    "crash redis",
    "cut off",
    "disconnect",
    "forge mail",
    "lose hints",
    "lose wake-ups",
    "pause",
    "pause instance",
    "pause redis",
    "poison",
    "post a version",
    "refuse a function",
    "refuse writes",
    "repeat wake-ups",
    "retry at once",
    "set clock",
    "set redis' clock",
    "stop",
    "up with other rules",
    "up without an agent",
  ]);
});

test("a schedule without its faults is another one, of the same goals", () => {
  const seed = 7;
  expect(plannedFaults(seed).map(textOf)).not.toBeEmpty();
  const [whole, calm] = [runSchedule(seed), runSchedule(seed, { faults: [] })];
  expect(calm.digest).not.toBe(whole.digest);
  expect(calm.scenario).toBe(whole.scenario);
  expect(findings(calm)).toEqual([]);
});

test("after a schedule the clocks, the timers and chance are the machine's again", async () => {
  const globals = () => [
    ...[
      setTimeout,
      setInterval,
      clearTimeout,
      Date,
      Math.random,
      crypto.randomUUID,
      crypto.getRandomValues,
      performance.now,
    ],
    ...[AbortController, AbortSignal],
  ];
  const before = globals();
  runSchedule(1);
  expect(globals()).toEqual(before);
  expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
  await new Promise((resolve) => setTimeout(resolve, 1));
});

test("an orchestrator that waits for what never comes is found", async () => {
  const { run } = Orchestrator.prototype;
  Orchestrator.prototype.run = () => new Promise(() => {});
  try {
    const [first] = await playMany([1]);
    expect(first?.sentences.join()).toContain("in limbo");
    expect(first?.needed).toEqual([]);
  } finally {
    Orchestrator.prototype.run = run;
  }
}, 600_000);
