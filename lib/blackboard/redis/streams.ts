// Reads streams in Redis.
import type { Client } from "./client.ts";
import { batchSize, blockMs } from "./follow.ts";

export type StreamEntry = { id: string; message: Record<string, string> };

/** The entries after `last`; waits at most `blockMs` for the first. Empty where none came. */
export async function readAfter(client: Client, key: string, last: string): Promise<StreamEntry[]> {
  const streams = await client.xRead({ key, id: last }, { BLOCK: blockMs, COUNT: batchSize });
  // node-redis types what it reads from several streams as unknown; this is one stream of string
  // fields.
  const [stream] = (streams ?? []) as { messages: StreamEntry[] }[];
  return stream?.messages ?? [];
}

/** The id of the last entry; `0` when there is none. */
export async function endOf(client: Client, key: string): Promise<string> {
  const [last] = (await client.xRevRange(key, "+", "-", { COUNT: 1 })) ?? [];
  return last?.id ?? "0";
}

/** The id of the first entry that is kept; `0` when there is none. */
export async function beginningOf(client: Client, key: string): Promise<string> {
  const [first] = (await client.xRange(key, "-", "+", { COUNT: 1 })) ?? [];
  return first?.id ?? "0";
}
