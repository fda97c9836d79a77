// The loops of a leader rest, outlive their failures, and end together.
import { expect, test } from "bun:test";
import {
  every,
  type Loop,
  LoopRunner,
  rung,
} from "../../../../../apps/orchestrator/leader/loops.ts";
import { systemClock } from "../../../../../lib/async/clock.ts";
import { Doorbell } from "../../../../../lib/async/doorbell.ts";
import { aborted } from "../../../../../lib/async/sleep.ts";
import { Fenced } from "../../../../../lib/blackboard/port/leading.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { waitFor } from "../../../../support/wait-for.ts";

/** Runs the loops until it is disposed of. `turns`: the names of those that have had one. */
function start(loops: Loop[]) {
  const [lines, turns]: [string[], string[]] = [[], []];
  const log = createJsonLog((line) => lines.push(line), systemClock.now);
  const runner = new LoopRunner({ log, clock: systemClock }, (loop) => turns.push(loop));
  const stop = new AbortController();
  const running = runner.run(loops, stop.signal);
  return {
    ...{ lines, turns, runner, running },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

test("a loop rests as long as it says, or as its turn has answered", async () => {
  const runOnce = async () => 1;
  await using scene = start([
    { name: "rests", when: every(600_000), runOnce: async () => {} },
    { name: "goes on", when: every(600_000), runOnce },
  ]);
  await waitFor("turns", () => scene.turns.length > 5);
  expect(scene.turns.filter((name) => name === "rests")).toHaveLength(1);
});

test("a bell ends the rest", async () => {
  const bell = new Doorbell();
  await using scene = start([
    { name: "waits", when: rung(bell, 600_000), runOnce: async () => {} },
  ]);
  await waitFor("the first turn", () => scene.turns.length === 1);
  bell.ring();
  await waitFor("the second turn", () => scene.turns.length === 2);
});

test("a loop that fails goes on, and is named; that Redis is away is no failure of it", async () => {
  const away = new SettError("redis-unreachable", "Redis is away.");
  const failWith = (error: Error) => () => Promise.reject(error);
  await using scene = start([
    { name: "broken", when: every(1), runOnce: failWith(new Error("a mistake")) },
    { name: "cut off", when: every(1), runOnce: failWith(away) },
  ]);
  await waitFor("two turns of each", () => scene.turns.length >= 4);
  expect(scene.runner.failing).toMatchObject({ loop: "broken", reason: "a mistake" });
  expect(scene.lines.filter((line) => line.includes("cut off"))).toEqual([]);
  expect(scene.lines[0]).toContain('"loop":"broken"');
});

test("when the epoch is over for one of them, all end", async () => {
  const ended: string[] = [];
  const follower = async (signal: AbortSignal): Promise<number> => {
    await aborted(signal);
    ended.push("follower");
    return 1;
  };
  const fenced = async (): Promise<number> => {
    throw new Fenced(1);
  };
  const scene = start([
    { name: "follows", when: every(1), runOnce: follower },
    { name: "is fenced", when: every(1), runOnce: fenced },
  ]);
  await expect(scene.running).rejects.toBeInstanceOf(Fenced);
  expect(ended).toEqual(["follower"]);
});
