// Answers with a stream, of which only so many are open at the same time.
import { SettError } from "../../../lib/model/errors.ts";
import type { Caller } from "../access/caller.ts";
import type { RequestContext } from "../env.ts";
import type { Parts } from "../parts.ts";

/**
 * `signal` aborts when the client goes, its token is over, or the API stops. `end`: to be called
 * when the stream is over, or given up.
 */
export type Life = { signal: AbortSignal; end: () => void };

/** A longer timer would end at once; the client comes again. */
const maxTimerMs = 2 ** 31 - 1;

/** The answer has the type `never`: no schema is about a stream. Throws `too-many-requests`. */
export async function openStream(
  parts: Parts,
  { req: { raw }, var: { caller } }: RequestContext,
  contentType: string,
  begin: (life: Life) => Promise<ReadableStream<Uint8Array>>,
): Promise<never> {
  const life = beginStream(parts, raw, caller);
  try {
    const body = await begin(life);
    return new Response(body, {
      headers: {
        "content-type": contentType,
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
    }) as never;
  } catch (error) {
    life.end();
    throw error;
  }
}

/** Counts a stream until its `end`. Throws `too-many-requests`. */
export function beginStream(
  { deps: { metrics, limits, clock }, signal, streams }: Parts,
  { signal: gone }: Pick<Request, "signal">,
  { until }: Pick<Caller, "until">,
): Life {
  if (streams.open >= limits.maxStreams)
    throw new SettError(
      "too-many-requests",
      `${limits.maxStreams} streams are open, which is the most.`,
      {
        hint: "Close one, or try again later.",
      },
    );
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
  if (until !== undefined)
    isOver = setTimeout(end, Math.min(until - clock.now().getTime(), maxTimerMs));
  gone.addEventListener("abort", end, { once: true });
  return { signal: AbortSignal.any([signal, over.signal]), end };
}

/** Returns the same stream, which ends with its life; its life ends with it. */
export function whileAlive(
  body: ReadableStream<Uint8Array>,
  { signal, end }: Life,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // A read that waits sees its end then.
  const stop = () => void reader.cancel().catch(() => undefined);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      },
      async cancel() {
        end();
        await reader.cancel();
      },
    },
    { highWaterMark: 1 },
  );
}
