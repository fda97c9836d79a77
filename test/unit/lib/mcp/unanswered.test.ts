import { expect, test } from "bun:test";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Unanswered } from "../../../../lib/mcp/unanswered.ts";

const request = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" }) as const;
const answer = (id: number) => ({ jsonrpc: "2.0", id, result: {} }) as const;
const longMs = 60_000;

async function connected() {
  const [client, server] = InMemoryTransport.createLinkedPair();
  const unanswered = new Unanswered(server);
  await Promise.all([client.start(), server.start()]);
  return { client, server, unanswered };
}

test("waits for the answer to each request, and for nothing where all have theirs", async () => {
  const { client, server, unanswered } = await connected();
  await unanswered.none(longMs);
  await client.send(request(1));
  await client.send(request(2));
  await client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  let isOver = false;
  const waiting = unanswered.none(longMs).then(() => {
    isOver = true;
  });
  await server.send(answer(1));
  expect(isOver).toBe(false);
  await server.send(answer(2));
  await waiting;
  await unanswered.none(longMs);
});

test("a request that was called off is not waited for", async () => {
  const { client, unanswered } = await connected();
  await client.send(request(1));
  const waiting = unanswered.none(longMs);
  await client.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1 },
  });
  await waiting;
});

test("waits no longer than it is allowed", async () => {
  const { client, unanswered } = await connected();
  await client.send(request(1));
  await unanswered.none(10);
});
