// How a call of a model ends with its client.
import { expect, test } from "bun:test";
import { stopWith } from "../../../../apps/gateway/handle-call.ts";

test("a client that has left ends its call, before it and while it is under way", () => {
  expect(stopWith(AbortSignal.abort()).signal.reason).toMatchObject({ code: "client-left" });
  const client = new AbortController();
  const { signal } = stopWith(client.signal);
  expect(signal.aborted).toBe(false);
  client.abort();
  expect(signal.reason).toMatchObject({ code: "client-left" });
});
