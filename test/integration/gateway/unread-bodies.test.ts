// Shows what a client goes on sending after its request was refused.
import { expect, test } from "bun:test";
import { chatAnswer } from "../../support/gateway/faulty-provider.ts";
import { chatRequest } from "../../support/gateway/gateway-scene.ts";
import { sceneOf } from "../../support/gateway/provider-scene.ts";
import { pourBody } from "../../support/http/pour-body.ts";
import { waitFor } from "../../support/wait-for.ts";

const mebibyte = 1024 * 1024;
const calls = "/openai/v1/chat/completions";

test.each([true, false])(
  "a connection ends behind a refusal that does not wait for the body (silent: %p)",
  async (isSilent) => {
    await using scene = await sceneOf(chatAnswer());
    using open = new DisposableStack();
    const json = { "Content-Type": "application/json" };
    const refused: [string, Record<string, string>][] = [
      [calls, json],
      [calls, { ...json, Authorization: "Bearer none" }],
      ["/anthropic/v1/messages/count_tokens", json],
      ["/openai/v1/embeddings", json],
      ["/internal/state", json],
      ["/elsewhere", {}],
    ];
    const senders = refused.map(([path, headers]) =>
      open.use(pourBody(scene.url, path, headers, { isSilent })),
    );
    await waitFor("the connections to be ended", () => senders.every(({ isClosed }) => isClosed));
    for (const { answer, sentBytes } of senders) {
      // A client that does not end may be cut off while it sends, and lose the answer.
      if (isSilent) expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(sentBytes).toBeLessThan(32 * mebibyte);
    }
  },
  120_000,
);

test("no more is taken in of a body than a request may have, and the client that ends it reads why", async () => {
  await using scene = await sceneOf(chatAnswer(), { limits: { maxRequestBytes: mebibyte } });
  using open = new DisposableStack();
  const headers = { Authorization: `Bearer ${scene.token}`, "Content-Type": "application/json" };
  const endless = open.use(pourBody(scene.url, calls, headers, { isSilent: false }));
  await waitFor("its connection to be ended", () => endless.isClosed);
  expect(endless.sentBytes).toBeLessThan(32 * mebibyte);
  const ending = open.use(pourBody(scene.url, calls, headers, { isSilent: false, chunks: 64 }));
  await waitFor("the whole answer", () => ending.answer.includes("larger than 1 MiB"));
  expect(ending.answer).toStartWith("HTTP/1.1 413");
}, 120_000);

test("a connection stays where the whole body was read", async () => {
  await using scene = await sceneOf(chatAnswer());
  const done = await scene.post(calls, chatRequest());
  const refused = await scene.post(
    calls,
    chatRequest({ tools: [{ type: "web_search" }], web_search_options: {} }),
  );
  expect([done.status, done.headers.get("connection")]).toEqual([200, null]);
  expect([refused.status, refused.headers.get("connection")]).toEqual([400, null]);
});
