// The tool that runs a command of the model.
import { z } from "zod";
import { unreachable } from "../../../../lib/model/unreachable.ts";
import type { CommandOutcome } from "../../../../lib/process/command.ts";
import { runCommand } from "../../../../lib/process/run-command.ts";
import { cutMiddle } from "../cut-middle.ts";
import { defineTool, output, type Tool } from "../tool.ts";

const defaultSeconds = 120;
const maxSeconds = 1_800;
export const maxOutputLength = 20_000;
/** A command that prints more is ended: its output would be cut to a fraction of this anyway. */
const maxOutputBytes = 32 * 1024 * 1024;
const killAfterMs = 1_000;
/** So much of the work's time is not for commands: the model has to end the work in it. */
const reservedMs = 60_000;

/** `leftMs`: how much time the work has left. */
export type CommandPlace = { root: string; env: Record<string, string>; leftMs: () => number };

export function runTool(place: CommandPlace): Tool {
  return defineTool({
    name: "run",
    description:
      "Runs a command with `sh -c` in the workspace and returns its exit code and its output (stdout and stderr together). " +
      `Of an output of more than ${maxOutputLength} characters the middle is left out. ` +
      "There is no terminal and no input. Processes that the command leaves behind are ended with it.",
    input: z.strictObject({
      command: z.string().min(1).describe("A line or a script for sh."),
      timeout_s: z
        .int()
        .min(1)
        .max(maxSeconds)
        .default(defaultSeconds)
        .describe("The time limit in seconds."),
    }),
    use: async ({ command, timeout_s }, signal) => {
      // It is in the first line, so that both streams keep their order, also where the shell finds
      // a mistake in the script.
      const script = `exec 2>&1\n${command}`;
      const seconds = Math.min(timeout_s, secondsFor(place.leftMs()));
      const outcome = await runCommand({
        ...{ command: ["sh", "-c", script], cwd: place.root, env: place.env, stdin: "" },
        ...{ timeoutMs: seconds * 1_000, killAfterMs, maxOutputBytes, signal },
      });
      signal.throwIfAborted();
      const isOver = outcome.kind === "timed_out" && seconds < timeout_s;
      return output(`${describe(outcome, seconds)}${isOver ? `\n${workEnds}` : ""}`);
    },
  });
}

const workEnds =
  "[The work has no more time for this command: end the work with what is there, and say what was not checked.]";

/** Where little is left, half of it: to look and to commit takes short commands. */
function secondsFor(leftMs: number): number {
  return Math.max(1, Math.floor(Math.max(leftMs - reservedMs, leftMs / 2) / 1_000));
}

function describe(outcome: CommandOutcome, seconds: number): string {
  if (outcome.kind === "not_started") return outcome.message;
  const text = cutMiddle(
    new TextDecoder().decode(outcome.stdout).replaceAll("\0", "␀").trimEnd(),
    maxOutputLength,
  );
  return `${endOf(outcome, seconds)}\n${text === "" ? "(no output)" : text}`;
}

function endOf(outcome: Exclude<CommandOutcome, { kind: "not_started" }>, seconds: number): string {
  switch (outcome.kind) {
    case "timed_out":
      return `The command was ended after its time limit of ${seconds} s.`;
    case "output_too_large":
      return "The command was ended because it printed more than 32 MiB.";
    case "aborted":
      return "The command was ended.";
    case "exited":
      return outcome.signal === null
        ? `Exit code ${outcome.exitCode}`
        : `Ended by ${outcome.signal}`;
    default:
      return unreachable(outcome);
  }
}
