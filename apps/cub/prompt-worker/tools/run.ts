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

export function runTool(place: { root: string; env: Record<string, string> }): Tool {
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
      const outcome = await runCommand({
        ...{ command: ["sh", "-c", script], cwd: place.root, env: place.env, stdin: "" },
        ...{ timeoutMs: timeout_s * 1_000, killAfterMs, maxOutputBytes, signal },
      });
      signal.throwIfAborted();
      return output(describe(outcome, timeout_s));
    },
  });
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
