// One output stream of a command, read from the first moment and kept up to a limit.
import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";

export type CollectedOutput = {
  isEnded(): boolean;
  /** The bytes so far: at most the limit. */
  bytes(): Uint8Array;
  /** Stops reading, although a process may still hold the other end open. */
  abandon(): void;
};

type Listener = {
  onOverflow: () => void;
  onEnd: () => void;
  onData?: ((bytes: Uint8Array) => void) | undefined;
};

/**
 * Reads on after the limit, but keeps nothing: an unread pipe would grow without bound in this
 * process, or block a tool that should react to SIGTERM. `onOverflow` is called once, by the first
 * byte above `maxBytes`; `onEnd` once.
 */
export function collectOutput(
  stream: Readable,
  maxBytes: number,
  { onOverflow, onEnd, onData }: Listener,
): CollectedOutput {
  const chunks: Uint8Array[] = [];
  let keptBytes = 0;
  let hasOverflowed = false;
  let isEnded = false;

  const end = () => {
    if (isEnded) return;
    isEnded = true;
    onEnd();
  };
  stream.on("data", (chunk: Uint8Array) => {
    const kept = chunk.subarray(0, maxBytes - keptBytes);
    if (kept.byteLength > 0) {
      chunks.push(kept);
      onData?.(kept);
    }
    keptBytes += kept.byteLength;
    if (kept.byteLength === chunk.byteLength || hasOverflowed) return;
    hasOverflowed = true;
    onOverflow();
  });
  stream.on("end", end);
  stream.on("close", end);
  stream.on("error", end);

  return {
    isEnded: () => isEnded,
    bytes: () => Buffer.concat(chunks, keptBytes),
    abandon: () => stream.destroy(),
  };
}
