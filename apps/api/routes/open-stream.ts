// Answers with a stream, of which only so many are open at the same time.
import { SettError } from "../../../lib/model/errors.ts";
import type { RequestContext } from "../env.ts";
import type { Parts } from "../parts.ts";

/** `begin` gets a signal that aborts when the client goes or the API stops. The answer has the type `never`: no schema is about a stream. */
export async function openStream(
  { deps: { metrics, limits }, signal, streams }: Parts,
  { req: { raw } }: RequestContext,
  contentType: string,
  begin: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
): Promise<never> {
  if (streams.open >= limits.maxStreams)
    throw new SettError("too-many-requests", `${limits.maxStreams} streams are open, which is the most.`, {
      hint: "Close one, or try again later.",
    });
  const over = new AbortController();
  const body = await begin(AbortSignal.any([signal, raw.signal, over.signal]));
  streams.open += 1;
  metrics.streams.set(streams.open);
  const end = () => {
    if (over.signal.aborted) return;
    over.abort();
    streams.open -= 1;
    metrics.streams.set(streams.open);
  };
  raw.signal.addEventListener("abort", end, { once: true });
  const counted = body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: end }));
  return new Response(counted, {
    headers: { "content-type": contentType, "cache-control": "no-store", "x-accel-buffering": "no" },
  }) as never;
}
