// The official SDKs, unchanged, through the gateway to a mock server that others maintain.
import { afterAll, beforeAll, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { LLMock } from "@copilotkit/aimock";
import OpenAI from "openai";
import { messageOf } from "../../../lib/model/errors.ts";
import { key, startGateway, tokenOf } from "../../support/gateway/gateway-scene.ts";

const mock = new LLMock({ port: 0 });
const weather = { name: "get_weather", arguments: JSON.stringify({ city: "Oslo" }) };
const usage = { input_tokens: 12, output_tokens: 7 };
const parameters = { type: "object" as const, properties: { city: { type: "string" as const } } };

beforeAll(async () => {
  mock.onMessage("weather", { toolCalls: [weather], usage });
  mock.onMessage("hello", { content: "Hello from the mock.", usage });
  await mock.start();
});
afterAll(() => mock.stop());

const start = (provider: "anthropic" | "openai") =>
  startGateway({ base_url: `${mock.url}/v1`, provider });

test("the client of Anthropic gets an answer, a stream and a call of a tool", async () => {
  await using scene = await start("anthropic");
  const client = new Anthropic({ apiKey: scene.token, baseURL: scene.anthropic });
  const messages = [{ role: "user" as const, content: "hello" }];
  const whole = await client.messages.create({ model: "any", max_tokens: 100, messages });
  expect(whole.content).toMatchObject([{ type: "text", text: "Hello from the mock." }]);
  const streamed = await client.messages
    .stream({ model: "any", max_tokens: 100, messages })
    .finalMessage();
  expect(streamed.content).toMatchObject([{ type: "text", text: "Hello from the mock." }]);
  const tools = [{ name: "get_weather", input_schema: parameters }];
  for (const stream of [false, true]) {
    const order = {
      model: "any",
      max_tokens: 100,
      tools,
      messages: [{ role: "user" as const, content: "weather" }],
    };
    const answer = stream
      ? await client.messages.stream(order).finalMessage()
      : await client.messages.create(order);
    expect(answer.content.find(({ type }) => type === "tool_use")).toMatchObject({
      name: "get_weather",
      input: { city: "Oslo" },
    });
  }
  const ended = await scene.ended(4);
  expect(
    ended.map(({ outcome, api, is_stream, is_estimated }) => ({
      outcome,
      api,
      is_stream,
      is_estimated,
    })),
  ).toEqual(
    [false, true, false, true].map((is_stream) => ({
      outcome: "ok" as const,
      api: "messages",
      is_stream,
      is_estimated: false,
    })),
  );
  expect(
    ended.every(({ cost, reserved }) => cost.tokens > 0 && cost.nanousd <= reserved.nanousd),
  ).toBe(true);
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["provider-model"]);
  const last = mock.getRequests().at(-1);
  expect(JSON.stringify(last?.body)).toContain("provider-model");
});

test("the client of OpenAI gets Chat Completions: an answer, a stream and a call of a tool", async () => {
  await using scene = await start("openai");
  const client = new OpenAI({ apiKey: scene.token, baseURL: scene.openai });
  const messages = [{ role: "user" as const, content: "hello" }];
  const whole = await client.chat.completions.create({ model: "any", messages });
  expect(whole.choices[0]?.message.content).toBe("Hello from the mock.");
  let text = "";
  for await (const chunk of await client.chat.completions.create({
    model: "any",
    messages,
    stream: true,
  })) {
    text += chunk.choices[0]?.delta.content ?? "";
    // This client did not ask for the usage.
    expect(chunk.choices).not.toEqual([]);
  }
  expect(text).toBe("Hello from the mock.");
  const tools = [{ type: "function" as const, function: { name: "get_weather", parameters } }];
  const order = { model: "any", tools, messages: [{ role: "user" as const, content: "weather" }] };
  const called = await client.chat.completions.create(order);
  expect(called.choices[0]?.message.tool_calls).toMatchObject([{ function: weather }]);
  const streamed = await client.chat.completions.stream(order).finalChatCompletion();
  expect(streamed.choices[0]?.message.tool_calls).toMatchObject([{ function: weather }]);
  const asking = {
    model: "any",
    messages,
    stream: true as const,
    stream_options: { include_usage: true },
  };
  const chunks = await Array.fromAsync(await client.chat.completions.create(asking));
  expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  const ended = await scene.ended(5);
  expect(ended.map(({ outcome, is_estimated }) => ({ outcome, is_estimated }))).toEqual(
    Array.from({ length: 5 }, () => ({ outcome: "ok" as const, is_estimated: false })),
  );
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["provider-model"]);
});

test("the client of OpenAI gets Responses: an answer, a stream, a call of a tool and a conversation that goes on", async () => {
  await using scene = await start("openai");
  const client = new OpenAI({ apiKey: scene.token, baseURL: scene.openai });
  const whole = await client.responses.create({ model: "any", input: "hello" });
  expect(whole.output_text).toBe("Hello from the mock.");
  const streamed = await client.responses.stream({ model: "any", input: "hello" }).finalResponse();
  expect(streamed.output_text).toBe("Hello from the mock.");
  const tools = [{ type: "function" as const, name: "get_weather", parameters, strict: false }];
  for (const stream of [false, true]) {
    const order = { model: "any", input: "weather", tools };
    const answer = stream
      ? await client.responses.stream(order).finalResponse()
      : await client.responses.create(order);
    expect(answer.output).toContainEqual(
      expect.objectContaining({ type: "function_call", name: "get_weather" }),
    );
  }
  const more = await client.responses.create({
    model: "any",
    input: "hello",
    previous_response_id: whole.id,
  });
  expect(more.output_text).toBe("Hello from the mock.");
  const unknown = client.responses.create({
    model: "any",
    input: "hello",
    previous_response_id: "resp_of_another",
  });
  expect(await unknown.then(() => "", messageOf)).toContain("Send the whole conversation");
  // The provider has one account for all agents, and would go on with the conversation of any.
  const other = new OpenAI({
    apiKey: (await tokenOf(scene.board, "other")).token,
    baseURL: scene.openai,
  });
  const foreign = other.responses.create({
    model: "any",
    input: "What was said?",
    previous_response_id: whole.id,
  });
  expect(await foreign.then(() => "", messageOf)).toContain("names no answer to this agent");
  const ended = await scene.ended(5);
  expect(
    ended.every(
      ({ outcome, is_estimated, api }) => outcome === "ok" && !is_estimated && api === "responses",
    ),
  ).toBe(true);
  expect(ended.every(({ answer, request }) => answer !== undefined && request !== undefined)).toBe(
    true,
  );
});

test("the provider gets its own key, and no client a key or another's token", async () => {
  await using scene = await start("anthropic");
  const client = new Anthropic({ authToken: scene.token, apiKey: null, baseURL: scene.anthropic });
  const answer = await client.messages
    .create({ model: "any", max_tokens: 10, messages: [{ role: "user", content: "hello" }] })
    .withResponse();
  expect(JSON.stringify([...answer.response.headers])).not.toContain(key);
  const headers = mock.getRequests().at(-1)?.headers ?? {};
  expect(JSON.stringify(headers)).not.toContain(scene.token);
  expect(scene.log.join("")).not.toContain(key);
});
