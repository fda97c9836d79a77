// Shows that only the time counts in which this process runs: to one that was frozen, its clock has
// jumped.
import { afterAll, expect, spyOn, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../../../lib/process/run-command.ts";
import {
  afterRunning,
  runningLimit,
  runningTimeout,
} from "../../../../lib/process/running-time.ts";
import { toolFolder } from "../../../support/process/tools.ts";
import { waitFor } from "../../../support/wait-for.ts";

const folder = await toolFolder();
const realNow = performance.now.bind(performance);
let frozenMs = 0;
let onLook: (() => void) | undefined;
const clock = spyOn(performance, "now").mockImplementation(() => {
  onLook?.();
  return realNow() + frozenMs;
});
/** The timers under test keep no process alive. */
const alive = setInterval(() => undefined, 1_000);

afterAll(async () => {
  clearInterval(alive);
  clock.mockRestore();
  await folder[Symbol.asyncDispose]();
});

/** So many looks at the clock from now on. */
async function looks(count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  onLook = () => {
    left -= 1;
    if (left <= 0) resolve();
  };
  await promise;
}

test("a command that was frozen with this process for longer than its time goes on", async () => {
  const command = await folder.tool("waits", "until [ -e go ]; do sleep 0.05; done");
  const running = runCommand(folder.with(command, { timeoutMs: 150_000 }));
  // Its start, the beginning of its time, and the first pulse.
  await looks(3);
  frozenMs += 400_000;
  await looks(1);
  await writeFile(join(folder.path, "go"), "");
  expect(await running).toMatchObject({ kind: "exited", exitCode: 0 });
});

test("a time that was frozen through goes on where it was, and ends", async () => {
  const over = runningTimeout(2_500);
  const { promise, resolve } = Promise.withResolvers<void>();
  over.addEventListener("abort", () => resolve());
  frozenMs += 400_000;
  await looks(1);
  expect(over.aborted).toBe(false);
  await promise;
  expect(over.reason).toMatchObject({ name: "TimeoutError" });
});

test("what was called off does not come", async () => {
  let came = 0;
  const callOff = afterRunning(1, () => {
    came += 1;
  });
  callOff();
  await new Promise<void>((resolve) => afterRunning(50, resolve));
  expect(came).toBe(0);
});

test("what is left of a time is known, without what was frozen", async () => {
  const { signal, leftMs } = runningLimit(60_000);
  expect(leftMs()).toBe(60_000);
  frozenMs += 100_000;
  await waitFor("a look at the clock", () => leftMs() < 60_000);
  expect({ isOver: signal.aborted, left: leftMs() > 30_000 }).toEqual({
    isOver: false,
    left: true,
  });
});
