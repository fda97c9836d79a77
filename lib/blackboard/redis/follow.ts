// Follows what Redis brings, each follower on a connection of its own, and continues after every
// reconnect.
import { sleep } from "../../async/sleep.ts";
import { SettError } from "../../model/errors.ts";
import { type Client, isRefusal, refusedByRedis } from "./client.ts";
import type { Connection } from "./connection.ts";
import { reconnectDelayMs } from "./reconnect-delay.ts";

/**
 * How long one blocking read waits at the server. A server that hangs is noticed by the heartbeat
 * of the connection.
 */
export const blockMs = 15_000;

/**
 * How long a follower of many entries waits before it reads again, to get several at once: each
 * read costs more than one more entry.
 */
const gatherMs = 3;

/** The most entries of one read. */
export const batchSize = 500;

/**
 * Batches from `read`, which blocks for at most `blockMs`; `isFresh` at the first read of a new
 * connection. A batch of `busyFrom` or more is followed by a short wait, so choose more than one
 * claim or goal brings at a time. Empty batches are left out. Ends with the signal; throws
 * `redis-unreachable` once the connection is given up.
 */
export async function* followReads<Item>(
  connection: Connection,
  signal: AbortSignal,
  read: (client: Client, isFresh: boolean) => Promise<Item[]>,
  busyFrom = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item[]> {
  const ended = AbortSignal.any([signal, connection.closed]);
  let client: Client | undefined;
  // A blocking read ends only with its connection.
  const stop = () => client?.destroy();
  const unsubscribe = connection.onReconnect(stop);
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
        // A function that `read` has called is refused: so it would be at every further try.
        if (error instanceof SettError && error.code === "blackboard-refused") throw error;
        if (connection.lost !== undefined) throw connection.lost;
        // A mistake of ours would happen at every further try, and would stay unnoticed.
        if (
          error instanceof TypeError ||
          error instanceof SyntaxError ||
          error instanceof RangeError
        )
          throw error;
        failures += 1;
        await sleep(reconnectDelayMs(failures), ended);
        continue;
      }
      if (batch.length > 0) yield batch;
      if (batch.length >= busyFrom) await sleep(gatherMs, ended);
    }
  } finally {
    unsubscribe();
    ended.removeEventListener("abort", stop);
    client?.destroy();
  }
}

/**
 * Follows messages of a channel, in batches. A message that is published while there is no
 * connection is lost.
 */
export async function* followChannel(
  connection: Connection,
  channel: string,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  const ended = AbortSignal.any([signal, connection.closed]);
  const messages: string[] = [];
  let wake = () => {};
  let client: Client | undefined;
  const drop = () => {
    client?.destroy();
    client = undefined;
    wake();
  };
  const receive = (text: string) => {
    messages.push(text);
    wake();
  };
  // A subscriber does not notice a server that hangs; the heartbeat of the other connection does.
  const unsubscribe = connection.onReconnect(drop);
  ended.addEventListener("abort", drop, { once: true });
  try {
    for (let failures = 0; !ended.aborted; ) {
      if (messages.length > 0) {
        yield messages.splice(0);
        await sleep(gatherMs, ended);
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
        await client.subscribe(channel, receive);
        failures = 0;
      } catch (error) {
        drop();
        if (isRefusal(error)) throw refusedByRedis(error);
        if (connection.lost !== undefined) throw connection.lost;
        failures += 1;
        await sleep(reconnectDelayMs(failures), ended);
      }
    }
  } finally {
    unsubscribe();
    ended.removeEventListener("abort", drop);
    client?.destroy();
  }
}
