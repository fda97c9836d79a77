// Whether a connection is of use: Redis answers, and accepts writes.
import type { ErrorReply } from "redis";
import { type Client, isWriteRefusal } from "./client.ts";

/** `key`: that of the probe. Rejects when Redis does not answer. */
export async function connected(
  client: Client,
  key: string,
): Promise<{ client: Client; writeRefusal: ErrorReply | undefined }> {
  try {
    await client.connect();
    // A server that has just started answers LOADING until it has read its data.
    return { client, writeRefusal: await probe(client, key) };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/**
 * Sends a write that writes nothing (no program ever sets the key). Resolves with Redis' refusal to
 * write, or undefined; rejects where it does not answer.
 */
export async function probe(client: Client, key: string): Promise<ErrorReply | undefined> {
  try {
    await client.set(key, "", { condition: "XX" });
    return undefined;
  } catch (error) {
    if (isWriteRefusal(error)) return error;
    throw error;
  }
}
