// Server-sent events for one client: the past from Redis, then what the hub brings, without a gap
// or a repeat.
import { sleep } from "../../../lib/async/sleep.ts";
import { type EventFilter, isWanted, wantsAll } from "./filter.ts";
import type { EventHub } from "./hub.ts";
import { joined, type Sent } from "./sent.ts";

/** Milliseconds. A client that takes nothing for `patienceMs` is cut. */
export type StreamLimits = { pingMs: number; patienceMs: number };
export const defaultStreamLimits: StreamLimits = { pingMs: 15_000, patienceMs: 30_000 };

/** Some 70 KB: of each client that reads the past, so much is on its way. */
const atOnce = 250;
const retryMs = 500;
const encoder = new TextEncoder();

type Options = {
  hub: EventHub;
  /** The event after which it begins. */
  from: string;
  filter: EventFilter;
  /** Sent to the client first. */
  comment?: string | undefined;
  signal: AbortSignal;
  /** Called when it is over, and when the client is given up. */
  end: () => void;
  limits?: StreamLimits;
};

/** The body of the answer. It ends with the signal, and when the client goes. */
export function eventStream({
  hub,
  from,
  filter,
  comment,
  signal,
  end,
  limits = defaultStreamLimits,
}: Options): ReadableStream<Uint8Array> {
  const frames = framesOf(hub, { from, filter, comment }, signal, limits);
  let isGivenUp = false;
  let patience: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(patience);
        if (isGivenUp) return;
        const { done, value } = await frames.next();
        if (done) {
          end();
          return controller.close();
        }
        controller.enqueue(value);
        // The next pull comes when the client has taken what it was sent: until then nothing more
        // is read for it.
        patience = setTimeout(() => {
          isGivenUp = true;
          controller.enqueue(tooSlow(limits));
          controller.close();
          end();
        }, limits.patienceMs);
      },
      cancel() {
        clearTimeout(patience);
        end();
      },
    },
    { highWaterMark: 1 },
  );
}

function tooSlow({ patienceMs }: StreamLimits): Uint8Array {
  return encoder.encode(
    `: too slow: nothing was read for ${patienceMs} ms. Go on with Last-Event-ID.\n\n`,
  );
}

async function* framesOf(
  hub: EventHub,
  { from, filter, comment }: Pick<Options, "from" | "filter" | "comment">,
  over: AbortSignal,
  { pingMs }: StreamLimits,
): AsyncGenerator<Uint8Array, void> {
  // Tells the client at once that it is connected, and where it is.
  const first = comment === undefined ? "" : `: ${comment}\n`;
  yield encoder.encode(`${first}retry: 1000\nid: ${from}\n\n`);
  let last = from;
  let sentAt = performance.now();
  while (!over.aborted) {
    const { isEmpty, chunk, end } = await nextChunk(hub, last, filter, over);
    if (over.aborted) return;
    last = end;
    if (chunk !== undefined) {
      yield chunk;
      sentAt = performance.now();
    }
    const left = pingMs - (performance.now() - sentAt);
    if (left <= 0) {
      // Names the place of the client in the log: what it does not want need not be read again.
      yield encoder.encode(`id: ${last}\nevent: ping\ndata: {}\n\n`);
      sentAt = performance.now();
    } else if (isEmpty) last = await hub.changed(last, left, over, filter);
  }
}

/**
 * `end`: up to where the log was looked at. Memory holds no more than these bytes of a slow client.
 */
async function nextChunk(hub: EventHub, last: string, filter: EventFilter, over: AbortSignal) {
  const events = await read(hub, last, over);
  const wanted = wantsAll(filter) ? events : events.filter(({ event }) => isWanted(event, filter));
  return {
    isEmpty: events.length === 0,
    chunk: wanted.length === 0 ? undefined : joined(wanted),
    end: events.at(-1)?.event.id ?? last,
  };
}

/** Redis may be away: the stream waits, and goes on where it was. */
async function read(hub: EventHub, last: string, over: AbortSignal): Promise<readonly Sent[]> {
  try {
    return await hub.read(last, atOnce, over);
  } catch {
    await sleep(retryMs, over);
    return [];
  }
}
