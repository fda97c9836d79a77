// The gates of a lane: commands that judge the merged result by their exit codes.

import { SettError } from "../../../lib/model/errors.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import { runCommand } from "../../../lib/process/run-command.ts";
import { visible } from "./merge-message.ts";

/** The ends of what a gate has printed: the reason is there. */
const maxShown = 8 * 1024;
/** The worker's own deadline ends a gate before. */
const timeoutMs = 24 * 3_600_000;

/** `gate`: the command as it is shown. `ended`: how, where it did not exit by itself. */
export type RedGate = {
  gate: string;
  exit_code: number | null;
  ended?: string;
  stdout: string;
  stderr: string;
};

/** The first gate that fails; undefined where all are green. Throws where the time is over. */
export async function runGates(
  gates: readonly (readonly string[])[],
  { cwd, env, signal }: { cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<RedGate | undefined> {
  for (const command of gates) {
    const gate = `\`${visible(command.join(" ")).slice(0, 200)}\``;
    console.error(`Gate ${gate}`);
    const run = { command, cwd, env, stdin: "", timeoutMs, signal };
    const outcome = await runCommand(run);
    if (signal.aborted)
      throw new SettError("interrupted", `The time was over while the gate ${gate} ran.`, {
        hint: "`timeout` of the agent in sett.yml sets it.",
      });
    if (outcome.kind === "not_started")
      throw new SettError("usage", `The gate ${gate} does not start: ${outcome.message}`, {
        hint: "`merge.gates` in sett.yml names it: it must be in the image of the lane's agent.",
      });
    const { exitCode, stdout, stderr } = outcome;
    const ended = stopOf(outcome);
    if (exitCode === 0 && ended === undefined) continue;
    return {
      ...{ gate, exit_code: ended === undefined ? exitCode : null },
      ...(ended !== undefined && { ended }),
      ...{ stdout: endOf(stdout), stderr: endOf(stderr) },
    };
  }
  return undefined;
}

/** A program that is stopped may still exit with 0: it has not judged then. */
function stopOf(outcome: CommandOutcome): string | undefined {
  if (outcome.kind === "output_too_large")
    return `It was stopped: it had printed more than 32 MiB to ${outcome.stream}.`;
  if (outcome.kind !== "exited") return "It was stopped: it ran for too long.";
  return outcome.signal === null ? undefined : `It was ended by ${outcome.signal}.`;
}

function endOf(bytes: Uint8Array): string {
  const end = bytes.subarray(Math.max(0, bytes.byteLength - maxShown));
  return new TextDecoder().decode(end).replace(/[^\P{C}\n\t]+/gu, " ");
}
