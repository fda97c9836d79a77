// Tools that are functions of the test, and what their runs end with.
import { aborted } from "../../../lib/async/sleep.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import type { CommandOutcome, NotStarted } from "../../../lib/process/command.ts";

/**
 * Says what the tool prints, as an object or as text, or the whole end of its run; an Error is what
 * it says before exit code 1. The signal aborts when its grant is taken away. `token`: for its
 * calls of a model, where it is a worker.
 */
export type Tool = (input: ToolInput, signal: AbortSignal, token?: string) => unknown;

export function outcomeOf(answer: unknown): CommandOutcome {
  if (typeof answer === "object" && answer !== null && "kind" in answer)
    return answer as CommandOutcome;
  if (answer instanceof Error) return exited("", 1, answer.message);
  return exited(typeof answer === "string" ? answer : JSON.stringify(answer));
}

type StartedOutcome = Exclude<CommandOutcome, NotStarted>;

export function exited(stdout: string, exitCode = 0, stderr = ""): StartedOutcome {
  const encode = (text: string) => new TextEncoder().encode(text);
  return {
    kind: "exited",
    exitCode,
    signal: null,
    stdout: encode(stdout),
    stderr: encode(stderr),
    durationMs: 1,
  };
}

/** The end of a run that goes on until its grant is taken away. */
export async function untilStopped(signal: AbortSignal): Promise<StartedOutcome> {
  await aborted(signal);
  return { ...exited(""), kind: "aborted", exitCode: null, signal: "SIGTERM" };
}
