// Runs a command inside a running container.
import { Buffer } from "node:buffer";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ExecResult } from "../port.ts";
import { explain } from "./errors.ts";
import { readFrames } from "./frames.ts";
import { untilSilent } from "./patience.ts";

const exitPollMs = 20;

export async function execInContainer(
  docker: Docker,
  container: string,
  command: string[],
  { stdin, signal }: { stdin?: string; signal?: AbortSignal } = {},
): Promise<ExecResult> {
  const abort = withoutUndefined({ abortSignal: signal });
  try {
    const exec = await docker.getContainer(container).exec({
      Cmd: command,
      AttachStdin: stdin !== undefined,
      AttachStdout: true,
      AttachStderr: true,
      ...abort,
    });
    // Input needs the connection to itself (`hijack`); closing our half of it is the command's end
    // of file.
    const stream = await exec.start(
      stdin === undefined ? { ...abort } : { hijack: true, stdin: true, ...abort },
    );
    if (stdin !== undefined) stream.end(stdin);
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const frames = readFrames(untilSilent(docker, `/exec/${exec.id}/start`, stream));
    for await (const frame of frames) output[frame.stream].push(Buffer.from(frame.bytes));
    return {
      exitCode: await exitCodeOf(exec, signal),
      stdout: Buffer.concat(output.stdout).toString("utf8"),
      stderr: Buffer.concat(output.stderr).toString("utf8"),
    };
  } catch (error) {
    throw explain(error, `run ${command[0]} in the container ${container}`, signal);
  }
}

/** The output may end a moment before the Engine knows the exit code. */
async function exitCodeOf(exec: Docker.Exec, signal: AbortSignal | undefined): Promise<number> {
  for (;;) {
    const { Running: isRunning, ExitCode: exitCode } = await exec.inspect(
      withoutUndefined({ abortSignal: signal }),
    );
    if (!isRunning && exitCode !== null) return exitCode;
    await sleep(exitPollMs, undefined, { signal });
  }
}
