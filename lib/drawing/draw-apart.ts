// Draws DOT in a process of its own, which may end at any time and leaves nothing in the memory of
// the one that asks.
import { SettError } from "../model/errors.ts";
import { unreachable } from "../model/unreachable.ts";
import type { CommandOutcome } from "../process/command.ts";
import { runCommand } from "../process/run-command.ts";

/** `command`: a program that runs `runDrawer`. */
export type Drawer = { command: readonly string[]; cwd: string; timeoutMs: number };

/** A picture of five thousand artefacts has 6 MiB. */
const maxSvgBytes = 32 * 1024 * 1024;

/** Throws `drawing-failed`, and `interrupted` at the signal. */
export async function drawApart(
  dot: string,
  { command, cwd, timeoutMs }: Drawer,
  signal?: AbortSignal,
): Promise<string> {
  const limits = { timeoutMs, killAfterMs: 100, maxOutputBytes: maxSvgBytes };
  const outcome = await runCommand({
    command,
    cwd,
    env: {},
    stdin: dot,
    ...limits,
    ...(signal && { signal }),
  });
  if (outcome.kind === "exited" && outcome.exitCode === 0) return textOf(outcome.stdout);
  if (outcome.kind === "aborted")
    throw new SettError("interrupted", "Interrupted while the picture was drawn.");
  throw new SettError("drawing-failed", whyNot(outcome, timeoutMs), {
    hint: "The formats `dot` and `mermaid` have the same graph as text, for programs that draw.",
  });
}

function whyNot(outcome: Exclude<CommandOutcome, { kind: "aborted" }>, timeoutMs: number): string {
  switch (outcome.kind) {
    case "not_started":
      return `The picture cannot be drawn: ${outcome.message}`;
    case "exited":
      return `The picture cannot be drawn: ${textOf(outcome.stderr).trim() || "Graphviz gave no reason."}`;
    case "timed_out":
      return `The graph is too large for a picture: it was not drawn within ${timeoutMs / 1_000} s.`;
    case "output_too_large":
      return "The graph is too large for a picture: it would have more than 32 MiB.";
    default:
      return unreachable(outcome);
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
