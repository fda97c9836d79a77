// Whether a connection serves: Redis answers, and takes writes.
import type { ErrorReply } from "redis";
import { type Client, isWriteRefusal } from "./client.ts";

/** Rejects when it does not get so far that Redis answers. */
export async function connected(client: Client): Promise<{ client: Client; writeRefusal: ErrorReply | undefined }> {
  try {
    await client.connect();
    // A server that has just been started answers LOADING until it has read its data.
    return { client, writeRefusal: await probe(client) };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/** Asks for a write that writes nothing (no such key is ever set): whether Redis answers, and why it refuses writes if it does. */
export async function probe(client: Client): Promise<ErrorReply | undefined> {
  try {
    await client.set("sett:probe", "", { condition: "XX" });
    return undefined;
  } catch (error) {
    if (isWriteRefusal(error)) return error;
    throw error;
  }
}
