// The limits: time, output, cancelling, and that nothing of a tool outlives its run.
import { afterAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../../../lib/process/run-command.ts";
import { decode, isAlive, toolFolder, untilGone } from "../../../support/process/tools.ts";

const folder = await toolFolder();
afterAll(() => folder[Symbol.asyncDispose]());

async function endOf(command: string[], overrides: Parameters<typeof folder.with>[1] = {}) {
  const outcome = await runCommand(folder.with(command, overrides));
  if (outcome.kind === "not_started") throw new Error(outcome.message);
  return { ...outcome, out: decode(outcome.stdout) };
}

/** Time for a tool to begin, on a busy machine too. */
const timeoutMs = 4_000;

async function pidIn(file: string): Promise<number> {
  return Number.parseInt(await readFile(join(folder.path, file), "utf8"), 10);
}

// Beside each other, because each of them waits.
describe.concurrent("a time-out", () => {
  test("it ends a tool that hangs, and keeps what the tool said until then", async () => {
    const command = await folder.tool("hangs", "echo begun; exec sleep 600");
    const end = await endOf(command, { timeoutMs });
    expect(end).toMatchObject({
      kind: "timed_out",
      exitCode: null,
      signal: "SIGTERM",
      out: "begun\n",
    });
    expect(end.durationMs).toBeWithin(timeoutMs - 50, 50_000);
  });

  test("it is recorded although the tool handles SIGTERM and exits 0", async () => {
    const command = await folder.tool(
      "handles",
      "trap 'echo bye; exit 0' TERM; echo hello; while :; do sleep 0.02; done",
    );
    const end = await endOf(command, { timeoutMs });
    expect(end).toMatchObject({
      kind: "timed_out",
      exitCode: 0,
      signal: null,
      out: "hello\nbye\n",
    });
  });

  test("a tool that ignores SIGTERM is killed after the grace period", async () => {
    const command = await folder.tool(
      "ignores",
      "#!/usr/bin/perl\n$SIG{TERM} = 'IGNORE'; sleep 1 while 1;",
    );
    const end = await endOf(command, { timeoutMs, killAfterMs: 300 });
    expect(end).toMatchObject({ kind: "timed_out", exitCode: null, signal: "SIGKILL" });
    expect(end.durationMs).toBeWithin(timeoutMs + 200, 50_000);
  });

  test("a limit longer than timers can count is no time-out", async () => {
    expect(await endOf(["sleep", "0.05"], { timeoutMs: 1e12 })).toMatchObject({
      kind: "exited",
      exitCode: 0,
    });
  });

  test("the first reason to stop is the one recorded", async () => {
    const controller = new AbortController();
    const command = await folder.tool(
      "slow-end",
      "trap 'touch stopping' TERM; while :; do sleep 0.02; done",
    );
    const running = endOf(command, { signal: controller.signal, timeoutMs, killAfterMs: 2000 });
    while (!(await Bun.file(join(folder.path, "stopping")).exists())) await Bun.sleep(1);
    controller.abort();
    expect(await running).toMatchObject({ kind: "timed_out", signal: "SIGKILL" });
  }, 120_000);
});

describe.concurrent("a child left behind with stdout open", () => {
  const early = { kind: "exited", exitCode: 0, out: "early\n", isCutOff: true };

  test("it is ended a moment after the leader, whose words count", async () => {
    const command = await folder.tool(
      "leaves-holder",
      "sleep 600 & echo $! > holder.pid; echo early",
    );
    expect(await endOf(command, { lingerMs: 100 })).toMatchObject(early);
    await untilGone(await pidIn("holder.pid"));
  });

  test("it is ended although it ignores SIGTERM", async () => {
    const command = await folder.tool(
      "stubborn",
      `perl -e '$SIG{TERM}="IGNORE"; sleep 1 while 1' & echo $! > stubborn.pid; echo early`,
    );
    expect(await endOf(command, { lingerMs: 100 })).toMatchObject(early);
    await untilGone(await pidIn("stubborn.pid"));
  });

  test("one that left the group does not hold the run either", async () => {
    const command = await folder.tool(
      "escapes",
      "setsid sh -c 'echo $$ > escaped.pid; exec sleep 600' & echo early; until [ -s escaped.pid ]; do sleep 0.02; done",
    );
    const end = await endOf(command, { lingerMs: 100 });
    process.kill(await pidIn("escaped.pid"), "SIGKILL");
    expect(end).toMatchObject(early);
  });

  test("it makes no time-out of a leader that ended in time", async () => {
    const command = await folder.tool("in-time", "sleep 600 & echo early");
    expect(await endOf(command, { timeoutMs, lingerMs: timeoutMs + 100 })).toMatchObject(early);
  });

  test("cancelling what has ended already only ends the wait for it", async () => {
    const controller = new AbortController();
    const command = await folder.tool(
      "leader-gone",
      "echo $$ > pid; mv pid leader.pid; sleep 600 & echo early",
    );
    const running = endOf(command, { lingerMs: 600_000, signal: controller.signal });
    while (!(await Bun.file(join(folder.path, "leader.pid")).exists())) await Bun.sleep(1);
    await untilGone(await pidIn("leader.pid"));
    // The end of another process is seen after this one's.
    await endOf(["true"]);
    controller.abort();
    expect(await running).toMatchObject(early);
  });

  test("a time-out reaches one that its leader waits for", async () => {
    const command = await folder.tool(
      "waits-for-child",
      "sleep 600 & echo $! > child.pid; echo early; wait",
    );
    expect(await endOf(command, { timeoutMs })).toMatchObject({
      kind: "timed_out",
      out: "early\n",
    });
    await untilGone(await pidIn("child.pid"));
  });
});

describe("too much output", () => {
  test("an endless stdout is stopped at the limit, and only the limit is kept", async () => {
    const end = await endOf(["yes"], { maxOutputBytes: 1_000_000 });
    expect(end).toMatchObject({ kind: "output_too_large", stream: "stdout" });
    expect(end.stdout.byteLength).toBe(1_000_000);
  });

  test("an endless stderr is stopped likewise", async () => {
    const command = await folder.tool("scolds", "echo fine; exec yes >&2");
    const end = await endOf(command, { maxOutputBytes: 100_000 });
    expect(end).toMatchObject({ kind: "output_too_large", stream: "stderr", out: "fine\n" });
  });

  test("a flood from a tool that ignores SIGTERM costs no memory", async () => {
    const command = await folder.tool(
      "floods",
      "#!/usr/bin/perl\n$SIG{TERM} = 'IGNORE'; print 'x' x 65536 while 1;",
    );
    const before = process.memoryUsage.rss();
    const end = await endOf(command, { maxOutputBytes: 1_000_000, killAfterMs: 1000 });
    expect(end).toMatchObject({ kind: "output_too_large", signal: "SIGKILL" });
    // Dropped output waits for the collector; a flood that were kept would be gigabytes.
    expect(process.memoryUsage.rss() - before).toBeLessThan(500_000_000);
  });

  test("exactly the limit is allowed, one byte more is not", async () => {
    const exact = await folder.tool("exact", "printf 1234567890");
    expect(await endOf(exact, { maxOutputBytes: 10 })).toMatchObject({
      kind: "exited",
      out: "1234567890",
    });
    expect(await endOf(exact, { maxOutputBytes: 9 })).toMatchObject({
      kind: "output_too_large",
      out: "123456789",
    });
  });
});

test("aborting the signal ends the tool as a time-out does", async () => {
  const controller = new AbortController();
  const command = await folder.tool("waits", "echo $$ > waits.pid; exec sleep 600");
  const running = endOf(command, { signal: controller.signal });
  while (!(await Bun.file(join(folder.path, "waits.pid")).exists())) await Bun.sleep(1);
  controller.abort();
  expect(await running).toMatchObject({ kind: "aborted", exitCode: null, signal: "SIGTERM" });
});

test("a background process with its own output does not survive the run", async () => {
  const command = await folder.tool(
    "daemon",
    "sleep 600 > /dev/null 2>&1 & echo $! > daemon.pid; echo done",
  );
  // The run does not wait for it: that would be a time-out.
  const end = await endOf(command, { lingerMs: 600_000 });
  expect(end).toMatchObject({ kind: "exited", exitCode: 0, out: "done\n", isCutOff: false });
  await untilGone(await pidIn("daemon.pid"));
});

test("a leader that closes its output early is still waited for", async () => {
  const command = await folder.tool("silent", "exec >&- 2>&-; sleep 0.2; exit 5");
  expect(await endOf(command)).toMatchObject({ kind: "exited", exitCode: 5 });
});

test("fifty runs leave no file descriptor and no process behind", async () => {
  const descriptors = async () =>
    (await Array.fromAsync(new Bun.Glob("*").scan({ cwd: "/proc/self/fd", onlyFiles: false })))
      .length;
  const command = await folder.tool("many", "echo $$");
  await endOf(command);
  const before = await descriptors();
  const ends = await Promise.all(Array.from({ length: 50 }, () => endOf(command, { stdin: "x" })));
  for (const end of ends) expect(await isAlive(Number(end.out))).toBe(false);
  const deadline = performance.now() + 50_000;
  while ((await descriptors()) > before + 2 && performance.now() < deadline) await Bun.sleep(5);
  expect(await descriptors()).toBeLessThanOrEqual(before + 2);
});
