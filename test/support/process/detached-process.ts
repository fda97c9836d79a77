// Starts a program that a test's time-out leaves alone. Bun ends every child process that it has as
// soon as one test takes too long, those of the whole file too; so the program is the child of a
// shell whose parent has gone, which says over a pipe its id and how it ended, and ends it with us.
import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

export type DetachedProcess = AsyncDisposable & {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its exit code; 128 and the signal's number where a signal has ended it. */
  readonly exited: Promise<number>;
  /** Does nothing where it has ended. */
  signal(name: NodeJS.Signals): void;
};

/**
 * Nothing is ever written to the fourth pipe: it ends with this process, and then the program ends,
 * too.
 */
const keeper = `{
  "$@" 3>&- 4<&- & pid=$!
  echo $pid >&3
  { read -r _ <&4; kill -KILL $pid; } >/dev/null 2>&1 3>&- & watcher=$!
  wait $pid; echo $? >&3
  kill $watcher
} &`;

/** Kept here, so that the garbage collector closes no pipe. */
const shells = new Set<ChildProcess>();

/**
 * `output`: a file descriptor, if it is not to be read here. Runs with exactly this environment.
 */
export function startDetached(
  command: readonly [string, ...string[]],
  {
    env = process.env,
    output = "pipe",
  }: { env?: NodeJS.ProcessEnv; output?: "pipe" | number } = {},
): DetachedProcess {
  const shell = spawn("/bin/sh", ["-c", keeper, "sh", ...command], {
    env,
    stdio: ["ignore", output, output, "pipe", "pipe"],
  });
  shells.add(shell);
  const numbers = createInterface({ input: shell.stdio[3] as Readable })[Symbol.asyncIterator]();
  const next = async () => Number((await numbers.next()).value);
  const pid = next();
  let hasEnded = false;
  const exited = pid.then(next).then((code) => {
    hasEnded = true;
    shells.delete(shell);
    return code;
  });
  const signal = (name: NodeJS.Signals) =>
    void pid.then((known) => {
      if (!hasEnded) kill(known, name);
    });
  const none = Readable.from([]);
  return {
    stdout: shell.stdout ?? none,
    stderr: shell.stderr ?? none,
    exited,
    signal,
    async [Symbol.asyncDispose]() {
      signal("SIGKILL");
      await exited;
    },
  };
}

/** It may have gone without the shell having said so yet. */
function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
