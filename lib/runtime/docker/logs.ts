// The lines that a container has written, and further ones as it writes them.
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { LogLine, LogOptions } from "../port.ts";
import { explain, statusOf } from "./errors.ts";
import { type Frame, readFrames } from "./frames.ts";

/**
 * A line longer than this comes in pieces, so that output without line ends cannot fill the memory.
 */
const maxLineBytes = 1024 * 1024;

export async function* logLines(
  docker: Docker,
  container: string,
  options: LogOptions = {},
): AsyncGenerator<LogLine> {
  const { signal } = options;
  if (signal?.aborted) return;
  try {
    yield* linesOf(readFrames(await open(docker, container, options)));
  } catch (error) {
    if (signal?.aborted) return;
    if (statusOf(error) === 404) {
      throw new SettError(
        "docker-failed",
        `There is no container ${container} to read the logs of.`,
        { cause: error },
      );
    }
    // A connection that drops ends the stream with `error` and `close` but without `end`: it must
    // not look like the end of the container's output.
    throw explain(error, `read the logs of ${container}`);
  }
}

async function open(
  docker: Docker,
  container: string,
  options: LogOptions,
): Promise<NodeJS.ReadableStream> {
  const { tail, since, signal } = options;
  const which = {
    stdout: true,
    stderr: true,
    timestamps: true,
    ...withoutUndefined({ tail, since, abortSignal: signal }),
  };
  if (options.follow === true)
    return docker.getContainer(container).logs({ ...which, follow: true });
  return Readable.from([await docker.getContainer(container).logs({ ...which, follow: false })]);
}

/**
 * Every frame is one message that begins with its time. The Engine cuts lines of more than 16 KiB
 * into several messages; only the last of them ends with a line end. The bytes are joined before
 * they are decoded, because a cut may split a character.
 */
async function* linesOf(frames: AsyncIterable<Frame>): AsyncGenerator<LogLine> {
  const unfinished: Record<
    Frame["stream"],
    { time: string; pieces: Buffer[]; length: number } | undefined
  > = {
    stdout: undefined,
    stderr: undefined,
  };
  for await (const { stream, bytes } of frames) {
    const afterTime = bytes.indexOf(" ") + 1;
    const text = bytes.subarray(afterTime);
    const line = unfinished[stream] ?? {
      time: bytes.subarray(0, afterTime - 1).toString(),
      pieces: [],
      length: 0,
    };
    line.pieces.push(text);
    line.length += text.length;
    const isWhole = text.at(-1) === 0x0a || line.length >= maxLineBytes;
    unfinished[stream] = isWhole ? undefined : line;
    if (isWhole) yield { stream, time: line.time, line: decoded(line.pieces) };
  }
  for (const stream of ["stdout", "stderr"] as const) {
    const line = unfinished[stream];
    if (line !== undefined) yield { stream, time: line.time, line: decoded(line.pieces) };
  }
}

function decoded(pieces: Buffer[]): string {
  return Buffer.concat(pieces)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
