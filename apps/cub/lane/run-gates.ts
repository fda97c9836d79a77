// The gates of a lane: commands that judge the merged result by their exit codes.

import { SettError } from "../../../lib/model/errors.ts";
import { runCommand } from "../../../lib/process/run-command.ts";
import { visible } from "./merge-message.ts";

/** The ends of what a gate has printed: the reason is there. */
const maxShown = 8 * 1024;
const maxOutputBytes = 1024 * 1024;
/** The worker's own deadline ends a gate before. */
const timeoutMs = 24 * 3_600_000;

/** `gate`: the command as it is shown. */
export type RedGate = { gate: string; exit_code: number | null; stdout: string; stderr: string };

/** The first gate that fails; undefined where all are green. Throws where the time is over. */
export async function runGates(
  gates: readonly (readonly string[])[],
  { cwd, env, signal }: { cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<RedGate | undefined> {
  for (const command of gates) {
    const gate = `\`${visible(command.join(" ")).slice(0, 200)}\``;
    console.error(`Gate ${gate}`);
    const run = { command, cwd, env, stdin: "", timeoutMs, maxOutputBytes, signal };
    const ended = await runCommand(run);
    if (ended.kind === "not_started")
      throw new SettError("usage", `The gate ${gate} does not start: ${ended.message}`, {
        hint: "`merge.gates` in sett.yml names it: it must be in the image of the lane's agent.",
      });
    if (signal.aborted)
      throw new SettError("interrupted", `The time was over while the gate ${gate} ran.`, {
        hint: "`timeout` of the agent in sett.yml sets it.",
      });
    const { exitCode, stdout, stderr } = ended;
    if (exitCode !== 0)
      return { gate, exit_code: exitCode, stdout: endOf(stdout), stderr: endOf(stderr) };
  }
  return undefined;
}

function endOf(bytes: Uint8Array): string {
  const end = bytes.subarray(Math.max(0, bytes.byteLength - maxShown));
  return new TextDecoder().decode(end).replace(/[^\P{C}\n\t]+/gu, " ");
}
