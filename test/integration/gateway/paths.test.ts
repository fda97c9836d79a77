// Which paths there are, and what the gateway says to requests that it does not pass on.
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { chatAnswer } from "../../support/gateway/faulty-provider.ts";
import { chatRequest } from "../../support/gateway/gateway-scene.ts";
import { sceneOf } from "../../support/gateway/provider-scene.ts";

const messageOf = async (response: Response) =>
  ((await response.json()) as { error: { message: string } }).error.message;

test("a client sees one model, the one of its agent, whatever name it asks for", async () => {
  await using scene = await sceneOf(chatAnswer());
  const client = new OpenAI({ apiKey: scene.token, baseURL: scene.openai });
  expect((await client.models.list()).data).toMatchObject([
    { id: "provider-model", object: "model" },
  ]);
  expect(await client.models.retrieve("gpt-some")).toMatchObject({ id: "provider-model" });
  await scene.post("/openai/v1/chat/completions", chatRequest({ model: "gpt-some" }));
  expect(JSON.parse(scene.provider.requests[0]?.body ?? "").model).toBe("provider-model");
  expect(await scene.ended(1)).toMatchObject([
    { asked_model: "gpt-some", answered_model: "provider-model-1", model: "strong" },
  ]);
});

test("tokens are counted by Anthropic itself, without a cost", async () => {
  await using scene = await sceneOf(() => Response.json({ input_tokens: 17 }), {
    provider: "anthropic",
  });
  const client = new Anthropic({ apiKey: scene.token, baseURL: scene.anthropic });
  expect(
    await client.messages.countTokens({
      model: "any",
      messages: [{ role: "user", content: "hello" }],
    }),
  ).toMatchObject({
    input_tokens: 17,
  });
  expect((await client.models.list()).data).toMatchObject([
    { id: "provider-model", type: "model" },
  ]);
  expect(scene.provider.requests[0]?.path).toBe("/v1/messages/count_tokens");
  expect(JSON.parse(scene.provider.requests[0]?.body ?? "").model).toBe("provider-model");
  expect(scene.gateway.calls.open.size).toBe(0);
});

test("a client that takes the version as a part of its base URL reaches the same API", async () => {
  await using scene = await sceneOf(
    () => Response.json({ type: "message", usage: { input_tokens: 1, output_tokens: 1 } }),
    {
      provider: "anthropic",
    },
  );
  expect((await scene.post("/anthropic/messages", { max_tokens: 5, messages: [] })).status).toBe(
    200,
  );
  expect(scene.provider.requests[0]?.path).toBe("/v1/messages");
});

test("headers that the API needs reach the provider, and others do not", async () => {
  await using scene = await sceneOf(
    () =>
      Response.json(
        { type: "message", usage: { input_tokens: 1, output_tokens: 1 } },
        {
          headers: {
            "request-id": "req_1",
            "anthropic-ratelimit-tokens-remaining": "5",
            "set-cookie": "a=b",
            "anthropic-organization-id": "org",
          },
        },
      ),
    { provider: "anthropic" },
  );
  const headers = {
    "x-api-key": scene.token,
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "some-beta",
    cookie: "c=d",
    "x-forwarded-for": "1.2.3.4",
  };
  const answer = await scene.post(
    "/anthropic/v1/messages?beta=true",
    { max_tokens: 5, messages: [] },
    { headers },
  );
  const [request] = scene.provider.requests;
  expect(request?.path).toBe("/v1/messages?beta=true");
  const names = [
    "anthropic-version",
    "anthropic-beta",
    "accept-encoding",
    "cookie",
    "x-forwarded-for",
    "authorization",
  ];
  expect(names.map((name) => request?.headers.get(name))).toEqual([
    "2023-06-01",
    "some-beta",
    "identity",
    null,
    null,
    null,
  ]);
  const back = [
    "request-id",
    "anthropic-ratelimit-tokens-remaining",
    "set-cookie",
    "anthropic-organization-id",
  ];
  expect(back.map((name) => answer.headers.get(name))).toEqual(["req_1", "5", null, null]);
});

test.each([
  ["/openai/v1/embeddings", "only `/v1/chat/completions`, `/v1/responses` and `/v1/models`"],
  [
    "/anthropic/v1/messages/batches",
    "only `/v1/messages`, `/v1/messages/count_tokens` and `/v1/models`",
  ],
  ["/v1/chat/completions", "does not pass `/v1/chat/completions` on"],
] as const)("%s is refused with a sentence in the provider's format", async (path, words) => {
  await using scene = await sceneOf(chatAnswer());
  const answer = await scene.post(path, {});
  expect([
    answer.status,
    answer.headers.get("x-sett-error"),
    answer.headers.get("x-should-retry"),
  ]).toEqual([404, "path-unknown", "false"]);
  expect(await messageOf(answer)).toContain(words);
  expect(scene.provider.requests).toEqual([]);
});

test("a path in the other provider's format names both", async () => {
  await using scene = await sceneOf(chatAnswer());
  const answer = await scene.post("/anthropic/v1/messages", { max_tokens: 5, messages: [] });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toEqual({
    type: "error",
    error: {
      type: "not_found_error",
      message:
        "The model `strong` of the agent `coder` has OpenAI's API, and this path is Anthropic's. Use a client for OpenAI's API, or give the agent another model.",
    },
  });
});

test.each([
  ["no JSON", "{", 400, "The request's body is not a JSON object."],
  [
    "a search at the provider",
    JSON.stringify({ tools: [{ type: "web_search" }] }),
    400,
    "The tool `web_search` runs at the provider",
  ],
  [
    "more than the limit",
    JSON.stringify({ a: "x".repeat(2_000) }),
    413,
    "The request is larger than",
  ],
] as const)("%s is refused before anything is reserved", async (_, body, status, words) => {
  await using scene = await sceneOf(chatAnswer(), { limits: { maxRequestBytes: 1_024 } });
  const answer = await scene.post("/openai/v1/chat/completions", {}, { body });
  expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([status, "false"]);
  expect(await messageOf(answer)).toContain(words);
  expect(scene.provider.requests).toEqual([]);
  expect(scene.gateway.calls.open.size).toBe(0);
});

test("while the requests of other calls fill the memory, a request waits outside", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: answer, resolve: go } = Promise.withResolvers<Response>();
  const slow = () => {
    arrive();
    return answer;
  };
  await using scene = await sceneOf(slow, { limits: { maxHeldBytes: 100 } });
  const path = "/openai/v1/chat/completions";
  const first = scene.post(path, chatRequest());
  await arrived;
  const second = await scene.post(path, chatRequest());
  expect([
    second.status,
    second.headers.get("x-sett-error"),
    second.headers.get("x-should-retry"),
  ]).toEqual([503, "gateway-busy", "true"]);
  go(Response.json({ id: "a", choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }));
  expect((await first).status).toBe(200);
  expect(scene.gateway.calls.held.bytes).toBe(0);
});

test("with `record: digests` no body is kept, and the digests are on record", async () => {
  await using scene = await sceneOf(chatAnswer(), { mode: "digests" });
  await scene.post("/openai/v1/chat/completions", chatRequest());
  const [record] = await scene.ended(1);
  expect(record?.request?.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(record?.answer?.digest).toMatch(/^[0-9a-f]{64}$/);
  await scene.gateway.deps.bodies.settled();
  expect(await Array.fromAsync(new Bun.Glob("record/**/*").scan(scene.folder))).toEqual([]);
});
