// Reads streams in Redis.
import type { Client } from "./client.ts";
import { batchSize, blockMs } from "./follow.ts";

export type StreamEntry = { id: string; message: Record<string, string> };

/** The entries after `last`; waits at most `blockMs` for the first. Empty where none came. */
export async function readAfter(client: Client, key: string, last: string): Promise<StreamEntry[]> {
  const streams = await client.xRead({ key, id: last }, { BLOCK: blockMs, COUNT: batchSize });
  // node-redis types what it reads from several streams as unknown; this is one stream of string fields.
  const [stream] = (streams ?? []) as { messages: StreamEntry[] }[];
  return stream?.messages ?? [];
}

/** The id of the last entry; `0` when there is none. */
export async function endOf(client: Client, key: string): Promise<string> {
  const [last] = (await client.xRevRange(key, "+", "-", { COUNT: 1 })) ?? [];
  return last?.id ?? "0";
}

/** Whether the entry of this id comes after the other. */
export function isAfter(id: string, other: string): boolean {
  const [ms = 0, sequence = 0] = id.split("-").map(Number);
  const [otherMs = 0, otherSequence = 0] = other.split("-").map(Number);
  return ms === otherMs ? sequence > otherSequence : ms > otherMs;
}
