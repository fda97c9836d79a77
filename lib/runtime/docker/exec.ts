// Runs a command inside a running container.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { Attended, ExecResult } from "../port.ts";
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

/**
 * It may be silent for as long as it likes. With a terminal there is one stream, which has no
 * frames.
 */
export async function attendExec(
  docker: Docker,
  container: string,
  command: string[],
  { input, onOutput, terminal }: Attended,
): Promise<number> {
  try {
    const Tty = terminal !== undefined;
    const exec = await docker.getContainer(container).exec({
      Cmd: command,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty,
    });
    const stream = await exec.start({ hijack: true, stdin: true, Tty });
    const fit = () => {
      const { columns: w = 0, rows: h = 0 } = terminal?.size() ?? {};
      // A command that has just ended has no terminal any more.
      if (w > 0 && h > 0) exec.resize({ w, h }).catch(() => undefined);
    };
    fit();
    using _ = terminal?.onResize(fit);
    void passOn(input, stream);
    try {
      if (Tty) for await (const bytes of stream) await onOutput("stdout", Buffer.from(bytes));
      else for await (const frame of readFrames(stream)) await onOutput(frame.stream, frame.bytes);
    } finally {
      stream.destroy();
    }
    return await exitCodeOf(exec, undefined);
  } catch (error) {
    throw explain(error, `run ${command[0]} in the container ${container}`);
  }
}

/** Never rejects: what ends the command ends its input as well. */
async function passOn(input: AsyncIterable<Uint8Array>, stream: NodeJS.WritableStream) {
  try {
    for await (const bytes of input) if (!stream.write(bytes)) await once(stream, "drain");
    stream.end();
  } catch {
    // The stream is closed by then.
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
