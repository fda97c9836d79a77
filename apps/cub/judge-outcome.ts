// What a run of the agent's command came to: a result, or a failure and the sentence that explains it (docs/reference/tool-contract.md#limits-and-failures).
import { lastLine, type ToolEnd } from "../../lib/core/failure-report.ts";
import { type Granted, readToolOutput } from "../../lib/core/read-tool-output.ts";
import type { ToolResult } from "../../lib/model/tool-contract.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import type { CommandOutcome } from "../../lib/process/command.ts";

/** `kind` tells which log line a failure gets. */
export type Verdict =
  | { kind: "result"; result: ToolResult; end: ToolEnd }
  | { kind: "failed" | "timed_out" | "unreadable"; end: ToolEnd };

const overtime = "The tool ran longer than its timeout";
const cutOff = "A process that it left behind still held its output after it had ended, and was stopped.";

export function judgeOutcome(outcome: CommandOutcome, granted: Granted, timeoutMs: number): Verdict {
  switch (outcome.kind) {
    case "not_started":
      return { kind: "failed", end: noEnd(outcome.reason === "aborted" ? interrupted : outcome.message) };
    case "timed_out":
      return { kind: "timed_out", end: endOf(outcome, `${overtime} of ${timeoutMs / 1000} s.`) };
    case "aborted":
      return { kind: "failed", end: endOf(outcome, interrupted) };
    case "output_too_large":
      return {
        kind: "failed",
        end: endOf(outcome, `The tool wrote more to ${outcome.stream} than the 32 MiB that are allowed.`),
      };
    case "exited":
      return judgeExit(outcome, granted);
    default:
      return unreachable(outcome);
  }
}

/** The end of a tool that never ran. */
export function noEnd(reason: string): ToolEnd {
  const nothing = new Uint8Array();
  return { reason, exitCode: null, signal: null, timedOut: false, durationMs: null, stdout: nothing, stderr: nothing };
}

const interrupted = "The tool was stopped before it had ended: this attempt is lost.";

type Ran = Exclude<CommandOutcome, { kind: "not_started" }>;

function judgeExit(outcome: Ran, granted: Granted): Verdict {
  if (outcome.signal !== null) return { kind: "failed", end: endOf(outcome, `The tool was ended by ${outcome.signal}.`) };
  if (outcome.exitCode !== 0) {
    const said = lastLine(outcome.stderr);
    return {
      kind: "failed",
      end: endOf(outcome, `The tool ended with exit code ${outcome.exitCode}${said === "" ? "." : `: ${said}`}`),
    };
  }
  const read = readToolOutput(outcome.stdout, granted);
  if (!read.ok) {
    const reason = outcome.isCutOff ? `${read.reason} ${cutOff}` : read.reason;
    return { kind: "unreadable", end: endOf(outcome, reason) };
  }
  return { kind: "result", result: read.result, end: endOf(outcome, "") };
}

function endOf(outcome: Ran, reason: string): ToolEnd {
  const { exitCode, signal, durationMs, stdout, stderr } = outcome;
  return { reason, exitCode, signal, timedOut: outcome.kind === "timed_out", durationMs, stdout, stderr };
}
