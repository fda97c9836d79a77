// Draws DOT as a picture with the program `dot` of Graphviz.

import { firstLine, plainLines } from "../../../lib/client/text/plain-text.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import { runCommand } from "../../../lib/process/run-command.ts";
import type { Shell } from "./shell.ts";

/** Graphviz draws five hundred nodes in less than a second. */
const drawingMs = 60_000;

type Surroundings = Pick<Shell, "env" | "cwd" | "err" | "interrupted" | "suggest">;

/** Throws `tool-failed` where `dot` is missing or fails. The warnings of `dot` go to `err`. */
export async function svgText(dot: string, { env, cwd, err, interrupted, suggest }: Surroundings): Promise<string> {
  const entries = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const outcome = await runCommand({
    command: ["dot", "-Tsvg"],
    cwd,
    env: Object.fromEntries(entries),
    stdin: dot,
    timeoutMs: drawingMs,
    signal: interrupted,
  });
  if (outcome.kind !== "exited" || outcome.exitCode !== 0) throw failureOf(outcome, suggest);
  await err.write(plainLines(textOf(outcome.stderr)));
  return textOf(outcome.stdout);
}

function failureOf(outcome: CommandOutcome, suggest: Suggest): SettError {
  const hint = `\`${suggest("graph --format dot")}\` prints the input of Graphviz.`;
  switch (outcome.kind) {
    case "not_started":
      if (outcome.reason !== "not_found") return new SettError("tool-failed", outcome.message, { hint });
      return new SettError("tool-failed", "Graphviz draws the picture, and its program `dot` is not on the PATH.", {
        hint: `Install Graphviz (Debian: apt-get install graphviz; macOS: brew install graphviz), or draw on another machine: ${hint}`,
      });
    case "exited":
      return new SettError("tool-failed", `Graphviz failed: ${firstLine(textOf(outcome.stderr)) || "it gave no reason."}`, {
        hint,
      });
    case "timed_out":
      return new SettError("tool-failed", `Graphviz did not finish within ${drawingMs / 1000} s.`, { hint });
    case "output_too_large":
      return new SettError("tool-failed", "Graphviz drew a picture of more than 32 MiB.", { hint });
    case "aborted":
      return new SettError("interrupted", "Interrupted while Graphviz was drawing.");
    default:
      return unreachable(outcome);
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
