// Reads a body whole, up to a limit.
import { type Bytes, joined } from "../../lib/models/server-sent-events.ts";

/**
 * `onPart` is called for each part. Undefined where it has more than `maxBytes`; the rest is then
 * not read, and the caller may cancel it. Rejects where the body breaks.
 */
export async function readBounded(
  body: ReadableStream<Bytes> | null,
  maxBytes: number,
  onPart: (part: Bytes) => void = () => {},
): Promise<Bytes | undefined> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const parts: Bytes[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return joined(parts);
      onPart(value);
      bytes += value.length;
      if (bytes > maxBytes) return undefined;
      parts.push(value);
    }
  } finally {
    reader.releaseLock();
  }
}
