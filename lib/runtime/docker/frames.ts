// Splits the Engine's multiplexed output: stdout and stderr of a container in one stream of frames.
import { Buffer } from "node:buffer";

export type Frame = { stream: "stdout" | "stderr"; bytes: Buffer };

/** A frame's header: one byte for the stream, three of nothing, four for the length. */
const headerBytes = 8;
const stderrStream = 2;

/**
 * One frame at a time, in order. dockerode's own `demuxStream` is not used: it copies all that is
 * left of its buffer for every frame, and gives no order between the two streams. A stream that
 * breaks off throws what it threw; so does half a frame.
 */
export async function* readFrames(
  stream: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Frame> {
  let pending = Buffer.alloc(0);
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    pending = pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([pending, bytes]);
    let at = 0;
    while (pending.length - at >= headerBytes) {
      const end = at + headerBytes + pending.readUInt32BE(at + 4);
      if (pending.length < end) break;
      const stream = pending[at] === stderrStream ? "stderr" : "stdout";
      yield { stream, bytes: pending.subarray(at + headerBytes, end) };
      at = end;
    }
    pending = pending.subarray(at);
  }
  if (pending.length > 0) throw new Error("the engine's output broke off in the middle");
}
