// Runs a tool within its limits and leaves no process of it behind.
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { collectOutput } from "./collect-output.ts";
import type { Command, CommandOutcome, NotStarted } from "./command.ts";
import { explainStartFailure } from "./explain-start-failure.ts";
import { killGroup } from "./kill-group.ts";
import { pipeOpener } from "./open-pipe.ts";
import { openStdinFile } from "./open-stdin-file.ts";
import { afterRunning } from "./running-time.ts";

export const usualKillAfterMs = 5_000;
const defaultMaxOutputBytes = 32 * 1024 * 1024;

type Started = {
  child: ChildProcess;
  pid: number;
  startedAtMs: number;
  stdout: Readable;
  stderr: Readable;
};

/**
 * Runs the command in a process group of its own. Never throws for what the command does: see
 * `CommandOutcome`.
 *
 * The command has ended when its leader has. The output of processes that the leader left behind is
 * read for another `lingerMs`, because the last process of a pipeline may be late; then the rest of
 * the group is killed. A process that left the group (`setsid`) cannot be reached.
 */
export async function runCommand(command: Command): Promise<CommandOutcome> {
  const [program, ...args] = command.command;
  if (program === undefined)
    return { kind: "not_started", reason: "empty_command", message: "The command is empty." };
  const file = await openStdinFile(command.stdin, command.stdinFolders);
  try {
    if (command.signal?.aborted) return abortedBeforeStart(program);
    const started = await start(program, args, command, file?.fd ?? "pipe");
    return "kind" in started ? started : await supervise(started, command);
  } finally {
    await file?.close();
  }
}

function abortedBeforeStart(program: string): NotStarted {
  return {
    kind: "not_started",
    reason: "aborted",
    message: `The command "${program}" was cancelled before it started.`,
  };
}

async function start(
  program: string,
  args: string[],
  command: Command,
  stdin: number | "pipe",
): Promise<Started | NotStarted> {
  const openPipe = await pipeOpener();
  const pipes = openPipe && { out: openPipe(), err: openPipe() };
  try {
    const { cwd, env } = command;
    const startedAtMs = performance.now();
    const stdio: StdioOptions = [
      stdin,
      pipes?.out.writeEnd ?? "pipe",
      pipes?.err.writeEnd ?? "pipe",
    ];
    const child = spawn(program, args, { cwd, env, detached: true, stdio });
    const failed = new Promise<Error>((resolve) => child.on("error", resolve));
    const stdout = pipes?.out.readable ?? child.stdout;
    const stderr = pipes?.err.readable ?? child.stderr;
    if (child.pid !== undefined) command.onStart?.(child.pid);
    if (child.pid !== undefined && stdout !== null && stderr !== null)
      return { child, pid: child.pid, startedAtMs, stdout, stderr };
    // A process that could not be made is known by its missing pid at once; the reason follows as
    // an event.
    pipes?.out.readable.destroy();
    pipes?.err.readable.destroy();
    return await explainStartFailure(await failed, program, cwd);
  } catch (error) {
    pipes?.out.readable.destroy();
    pipes?.err.readable.destroy();
    return await explainStartFailure(error, program, command.cwd);
  } finally {
    // End-of-file comes when the last holder of the write end has gone: this process must not be
    // one.
    pipes?.out.closeWriteEnd();
    pipes?.err.closeWriteEnd();
  }
}

type StopReason =
  | { kind: "timed_out" }
  | { kind: "aborted" }
  | { kind: "output_too_large"; stream: "stdout" | "stderr" };

function supervise(
  { child, pid, startedAtMs, stdout, stderr }: Started,
  command: Command,
): Promise<CommandOutcome> {
  const {
    timeoutMs,
    killAfterMs = usualKillAfterMs,
    lingerMs = 2000,
    drainMs = 1000,
    maxOutputBytes = defaultMaxOutputBytes,
  } = command;
  const { signal, onOutput } = command;
  const { stdin } = child;
  const { promise, resolve } = Promise.withResolvers<CommandOutcome>();
  let stopReason: StopReason | undefined;
  let exit: { exitCode: number | null; signal: string | null } | undefined;
  let callOff = afterRunning(timeoutMs, () => stop({ kind: "timed_out" }));
  const next = (step: () => void, delayMs: number) => {
    callOff();
    const timer = setTimeout(step, delayMs);
    callOff = () => clearTimeout(timer);
  };

  // The first reason counts, and its sequence of signals runs to the end.
  const stop = (reason: StopReason) => {
    if (stopReason !== undefined) return;
    stopReason = reason;
    if (killGroup(pid, "SIGTERM")) next(kill, killAfterMs);
    else next(finish, drainMs);
  };
  const kill = () => {
    killGroup(pid, "SIGKILL");
    next(finish, drainMs);
  };
  const finishWhenOver = () => {
    if (exit !== undefined && out.isEnded() && err.isEnded()) finish();
  };
  let isFinished = false;
  const finish = () => {
    if (isFinished) return;
    isFinished = true;
    const isCutOff = !out.isEnded() || !err.isEnded();
    const durationMs = performance.now() - startedAtMs;
    callOff();
    signal?.removeEventListener("abort", onAbort);
    killGroup(pid, "SIGKILL");
    stdin?.destroy();
    out.abandon();
    err.abandon();
    child.unref();
    const ended = {
      ...(exit ?? { exitCode: null, signal: null }),
      stdout: out.bytes(),
      stderr: err.bytes(),
      isCutOff,
      durationMs,
    };
    resolve({ ...(stopReason ?? { kind: "exited" }), ...ended });
  };
  // A command that has ended cannot be cancelled: then only the wait for the rest of its output is
  // cut short.
  const onAbort = () => (exit === undefined ? stop({ kind: "aborted" }) : finish());

  const collect = (name: "stdout" | "stderr", stream: Readable) =>
    collectOutput(stream, maxOutputBytes, {
      onOverflow: () => stop({ kind: "output_too_large", stream: name }),
      onEnd: finishWhenOver,
      onData: onOutput && ((bytes) => onOutput(name, bytes)),
    });
  const out = collect("stdout", stdout);
  const err = collect("stderr", stderr);
  child.on("exit", (exitCode, exitSignal) => {
    exit = { exitCode, signal: exitSignal };
    if (stopReason === undefined) next(finish, lingerMs);
    finishWhenOver();
  });
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  // The pipe is the last choice for stdin. A tool that does not read it causes EPIPE, which is no
  // error.
  stdin?.on("error", () => {});
  stdin?.end(command.stdin);
  return promise;
}
