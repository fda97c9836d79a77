// Says how the set-up scripts run other programs and print messages: plain Node, because they run
// before anything is installed.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/**
 * Prints one line about the step of the set-up, on stderr: stdout is for the program that runs
 * after it.
 */
export function say(sentence) {
  console.error(`setup: ${sentence}`);
}

/** Ends the set-up with one sentence that names the remedy. */
export class SetupError extends Error {}

/**
 * Runs a script's steps. A SetupError becomes its sentence and exit code 1; any other error keeps
 * its stack.
 */
export async function runSteps(steps) {
  try {
    await steps();
  } catch (error) {
    if (!(error instanceof SetupError)) {
      throw error;
    }
    say(error.message);
    process.exitCode = 1;
  }
}

/** True when `program` can be started, by its name or by its absolute path. */
export function isInstalled(program) {
  const folders = isAbsolute(program) ? ["/"] : (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Runs a command to its end, silently. Returns whether it exited 0, and what it wrote.
 * `timeoutMs` kills it; a killed command has not succeeded.
 */
export function attempt(command, args, { timeoutMs, input } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    timeout: timeoutMs,
    input,
  });
  return {
    isSuccess: status === 0,
    stdout: (stdout ?? "").trim(),
    stderr: (stderr || error?.message || "").trim(),
  };
}

/**
 * Runs a command with its output on stderr; `isQuiet` keeps the output for the case that it fails.
 * Throws a SetupError then.
 */
export function run(command, args, { env, cwd, isQuiet = false } = {}) {
  const sink = isQuiet ? "pipe" : 2;
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    stdio: ["ignore", sink, sink],
    env: { ...process.env, ...env },
    cwd,
    maxBuffer: 1e9,
  });
  if (status !== 0) {
    process.stderr.write(`${stdout ?? ""}${stderr ?? ""}`);
    const reason = error?.message ?? `exit code ${status}`;
    throw new SetupError(
      `\`${command} ${args.join(" ")}\` failed (${reason}); its output above says why.`,
    );
  }
}
