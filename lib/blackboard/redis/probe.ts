// Whether a connection is of use: Redis answers, and accepts writes.
import type { ErrorReply } from "redis";
import { type Client, isWriteRefusal } from "./client.ts";

/** No program ever sets it. */
export const probeKey = "sett:probe";

/** Rejects when Redis does not answer. */
export async function connected(
  client: Client,
): Promise<{ client: Client; writeRefusal: ErrorReply | undefined }> {
  try {
    await client.connect();
    // A server that has just started answers LOADING until it has read its data.
    return { client, writeRefusal: await probe(client) };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/**
 * Sends a write that writes nothing (the key never exists). Resolves with Redis' refusal to write,
 * or undefined; rejects where it does not answer.
 */
export async function probe(client: Client): Promise<ErrorReply | undefined> {
  try {
    await client.set(probeKey, "", { condition: "XX" });
    return undefined;
  } catch (error) {
    if (isWriteRefusal(error)) return error;
    throw error;
  }
}
