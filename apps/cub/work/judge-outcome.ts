// How a run of the agent's command ended: with a result, or with a failure and its reason
// (docs/reference/tool-contract.md#limits-and-failures).
import { lastLine, type ToolEnd } from "../../../lib/core/failure-report.ts";
import { type GrantContext, readToolOutput } from "../../../lib/core/read-tool-output.ts";
import type { ToolResult } from "../../../lib/model/tool-contract.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { RunOutcome } from "../container/tool-limits.ts";
import { type MaskedResult, maskedReason, maskedResult } from "../secrets/mask-result.ts";
import type { Masker } from "../secrets/masker.ts";
import { withoutSecrets } from "../secrets/secrets.ts";

/**
 * `kind` decides which log line a failure gets. `masked`: the places of the result that had a
 * secret, each as a phrase.
 */
export type ToolOutcome =
  | { kind: "result"; result: ToolResult; masked: string[]; end: ToolEnd }
  | { kind: "failed" | "timed_out" | "unreadable"; end: ToolEnd };

const leftProcess =
  "A process that the tool left behind still held its output open, so the cub stopped reading.";

/**
 * `masker`: of the agent's secrets. The answer is read as the tool has printed it, and nothing
 * unmasked leaves this function.
 */
export function judgeOutcome(
  printed: RunOutcome,
  granted: GrantContext,
  { timeoutMs, masker }: { timeoutMs: number; masker?: Masker | undefined },
): ToolOutcome {
  const outcome = masker === undefined ? printed : withoutSecrets(printed, masker);
  switch (outcome.kind) {
    case "not_started":
      return {
        kind: "failed",
        end: noEnd(outcome.reason === "aborted" ? interrupted : outcome.message),
      };
    case "timed_out":
      return {
        kind: "timed_out",
        end: endOf(outcome, `The tool ran longer than its timeout of ${timeoutMs / 1000} s.`),
      };
    case "aborted":
      return { kind: "failed", end: endOf(outcome, interrupted) };
    case "over_limit":
      return { kind: "failed", end: endOf(outcome, outcome.reason) };
    case "output_too_large":
      return {
        kind: "failed",
        end: endOf(
          outcome,
          `The tool wrote more than 32 MiB to ${outcome.stream}, which is the limit.`,
        ),
      };
    case "exited":
      return judgeExit(
        outcome,
        "stdout" in printed ? printed.stdout : outcome.stdout,
        granted,
        masker,
      );
    default:
      return unreachable(outcome);
  }
}

/** The end of a tool that never ran. */
export function noEnd(reason: string): ToolEnd {
  const nothing = new Uint8Array();
  return {
    reason,
    exitCode: null,
    signal: null,
    timedOut: false,
    durationMs: null,
    stdout: nothing,
    stderr: nothing,
  };
}

const interrupted = "The cub was stopped before the tool had ended: this attempt is lost.";

const tooLargeFile =
  "The tool was ended by SIGXFSZ: it wrote a file that is larger than `resources.limits.disk` allows.";

type Ended = Exclude<RunOutcome, { kind: "not_started" }>;

function judgeExit(
  outcome: Ended,
  printed: Uint8Array,
  granted: GrantContext,
  masker: Masker | undefined,
): ToolOutcome {
  if (outcome.signal === "SIGXFSZ") return { kind: "failed", end: endOf(outcome, tooLargeFile) };
  if (outcome.signal !== null)
    return { kind: "failed", end: endOf(outcome, `The tool was ended by ${outcome.signal}.`) };
  if (outcome.exitCode !== 0) {
    const lastOfStderr = lastLine(outcome.stderr);
    const explanation = lastOfStderr === "" ? "." : `: ${lastOfStderr}`;
    return {
      kind: "failed",
      end: endOf(outcome, `The tool ended with exit code ${outcome.exitCode}${explanation}`),
    };
  }
  const read = readAnswer(printed, granted, masker);
  if (!read.ok) {
    const reason = outcome.isCutOff ? `${read.reason} ${leftProcess}` : read.reason;
    return { kind: "unreadable", end: endOf(outcome, reason) };
  }
  return { kind: "result", result: read.result, masked: read.masked, end: endOf(outcome, "") };
}

function readAnswer(
  printed: Uint8Array,
  granted: GrantContext,
  masker: Masker | undefined,
): MaskedResult {
  const read = readToolOutput(printed, granted);
  if (masker === undefined) return read.ok ? { ...read, masked: [] } : read;
  return read.ok
    ? maskedResult(read.result, masker)
    : { ok: false, reason: maskedReason(read.reason, masker) };
}

function endOf(outcome: Ended, reason: string): ToolEnd {
  const { exitCode, signal, durationMs, stdout, stderr } = outcome;
  return {
    reason,
    exitCode,
    signal,
    timedOut: outcome.kind === "timed_out",
    durationMs,
    stdout,
    stderr,
  };
}
