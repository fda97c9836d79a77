// Reading on and on from Redis, each reader on a connection of its own, through every reconnect.
import { type Client, isRefusal, refusedByRedis } from "./client.ts";
import type { Connection } from "./connection.ts";
import { backOffMs, pauseUnlessAborted } from "./pause.ts";

/** How long one blocking read waits at the server: short, so that a server that hangs is noticed soon after. */
export const blockMs = 1_000;

/** How long a reader of a throng waits before it reads again, so that it gets many at once: waking up costs more than handling one more. */
const gatherMs = 3;

/** At most so many entries in one read. */
export const batchSize = 500;

/**
 * Batches from `read`, which blocks for at most `blockMs`; `isFresh` on a new connection's first read; a batch of `throng` or more
 * is followed by a short pause, so choose more than one matter at a time brings. Empty ones are left out. Ends
 * with the signal; throws `redis-unreachable` once contact is given up.
 */
export async function* followReads<Item>(
  connection: Connection,
  signal: AbortSignal,
  read: (client: Client, isFresh: boolean) => Promise<Item[]>,
  throng = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item[]> {
  const ended = AbortSignal.any([signal, connection.closed]);
  let client: Client | undefined;
  // A blocking read that is under way ends only with its connection.
  const stop = () => client?.destroy();
  ended.addEventListener("abort", stop, { once: true });
  try {
    let isFresh = true;
    let failures = 0;
    while (!ended.aborted) {
      let batch: Item[];
      try {
        client ??= await connection.connectAnother(blockMs);
        if (ended.aborted) return;
        batch = await read(client, isFresh);
        isFresh = false;
        failures = 0;
      } catch (error) {
        if (ended.aborted) return;
        client?.destroy();
        client = undefined;
        isFresh = true;
        if (isRefusal(error)) throw refusedByRedis(error);
        if (connection.lost !== undefined) throw connection.lost;
        // A mistake of ours would be one at every further try, and nobody would hear of it.
        if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError) throw error;
        await pauseUnlessAborted(backOffMs(failures), ended);
        failures += 1;
        continue;
      }
      if (batch.length > 0) yield batch;
      if (batch.length >= throng) await pauseUnlessAborted(gatherMs, ended);
    }
  } finally {
    ended.removeEventListener("abort", stop);
    client?.destroy();
  }
}

/** Messages of a channel, in batches. What is published while there is no connection is never heard. */
export async function* followChannel(connection: Connection, channel: string, signal: AbortSignal): AsyncGenerator<string[]> {
  const ended = AbortSignal.any([signal, connection.closed]);
  const heard: string[] = [];
  let wake = () => {};
  let client: Client | undefined;
  const drop = () => {
    client?.destroy();
    client = undefined;
    wake();
  };
  const listen = (text: string) => {
    heard.push(text);
    wake();
  };
  // A subscriber hears nothing of a server that hangs; the heartbeat of the other connection does.
  const unsubscribe = connection.onReconnect(drop);
  ended.addEventListener("abort", drop, { once: true });
  try {
    for (let failures = 0; !ended.aborted; ) {
      if (heard.length > 0) {
        yield heard.splice(0);
        await pauseUnlessAborted(gatherMs, ended);
        continue;
      }
      if (client !== undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      try {
        client = await connection.connectAnother(undefined);
        client.on("error", drop);
        await client.subscribe(channel, listen);
        failures = 0;
      } catch (error) {
        drop();
        if (isRefusal(error)) throw refusedByRedis(error);
        if (connection.lost !== undefined) throw connection.lost;
        await pauseUnlessAborted(backOffMs(failures), ended);
        failures += 1;
      }
    }
  } finally {
    unsubscribe();
    ended.removeEventListener("abort", drop);
    client?.destroy();
  }
}
