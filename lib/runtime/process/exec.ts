// Runs a command with the environment and in the folder of a process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { messageOf, SettError } from "../../model/errors.ts";
import type { ExecResult } from "../port.ts";
import { requireProcess } from "./processes.ts";
import type { Registry } from "./registry.ts";

export async function execBeside(
  registry: Registry,
  process: string,
  [program = "", ...words]: string[],
  { stdin = "", signal }: { stdin?: string; signal?: AbortSignal } = {},
): Promise<ExecResult> {
  const { spec } = await requireProcess(registry, process);
  try {
    const child = spawn(program, words, {
      cwd: spec.workingDir,
      env: spec.env,
      stdio: "pipe",
      signal,
    });
    const ended = once(child, "exit");
    ended.catch(() => undefined);
    // The command may not read all of its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [exitCode] = (await ended) as [number | null];
    return { exitCode: exitCode ?? 1, stdout, stderr };
  } catch (error) {
    if (signal?.aborted)
      throw new SettError("interrupted", `Interrupted while ${program} ran.`, { cause: error });
    return { exitCode: 127, stdout: "", stderr: messageOf(error) };
  }
}
