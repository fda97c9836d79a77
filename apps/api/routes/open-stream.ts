// Answers with a stream, of which only so many are open at the same time.
import { SettError } from "../../../lib/model/errors.ts";
import type { RequestContext } from "../env.ts";
import type { Parts } from "../parts.ts";

/** `signal` aborts when the client goes, its token is over, or the API stops. `end`: to be called when the stream is over, or given up. */
type Life = { signal: AbortSignal; end: () => void };

/** A longer timer would end at once; the client comes again. */
const maxTimerMs = 2 ** 31 - 1;

/** The answer has the type `never`: no schema is about a stream. */
export async function openStream(
  { deps: { metrics, limits, clock }, signal, streams }: Parts,
  { req: { raw }, var: { caller } }: RequestContext,
  contentType: string,
  begin: (life: Life) => Promise<ReadableStream<Uint8Array>>,
): Promise<never> {
  if (streams.open >= limits.maxStreams)
    throw new SettError("too-many-requests", `${limits.maxStreams} streams are open, which is the most.`, {
      hint: "Close one, or try again later.",
    });
  const over = new AbortController();
  const count = (change: number) => {
    streams.open += change;
    metrics.streams.set(streams.open);
  };
  let isOver: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    if (over.signal.aborted) return;
    clearTimeout(isOver);
    over.abort();
    count(-1);
  };
  count(1);
  if (caller.until !== undefined) isOver = setTimeout(end, Math.min(caller.until - clock.now().getTime(), maxTimerMs));
  raw.signal.addEventListener("abort", end, { once: true });
  try {
    const body = await begin({ signal: AbortSignal.any([signal, over.signal]), end });
    return new Response(body, {
      headers: { "content-type": contentType, "cache-control": "no-store", "x-accel-buffering": "no" },
    }) as never;
  } catch (error) {
    end();
    throw error;
  }
}
