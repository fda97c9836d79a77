// Budgets, tokens and queues: who may call, and when a call is not passed on.
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { at, resultOf } from "../../support/blackboard/scene.ts";
import {
  chatAnswer,
  chatChunk,
  type FaultyAnswer,
  stream,
  usageChunk,
} from "../../support/gateway/faulty-provider.ts";
import { chatRequest } from "../../support/gateway/gateway-scene.ts";
import { sceneOf } from "../../support/gateway/provider-scene.ts";
import { waitFor } from "../../support/wait-for.ts";

const path = "/openai/v1/chat/completions";

/** Answers only when the test lets it. */
function gate() {
  const open = Promise.withResolvers<void>();
  const answer: FaultyAnswer = async (request, count) => {
    await open.promise;
    return await chatAnswer()(request, count);
  };
  return { answer, open: () => open.resolve() };
}

test("a call that the budget does not allow reaches no provider, and the official clients do not repeat it", async () => {
  await using scene = await sceneOf([chatAnswer()], { goal: { calls: 1 } });
  const client = new OpenAI({ apiKey: scene.token, baseURL: scene.openai });
  const order = {
    model: "any",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: "hello" }],
  };
  await client.chat.completions.create(order);
  const error = await client.chat.completions.create(order).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(OpenAI.APIError);
  expect(error).toMatchObject({
    status: 402,
    code: "insufficient_quota",
    type: "insufficient_quota",
  });
  expect(String(error)).toContain(
    "The budget of the goal does not allow this call: of 1 calls, 1 calls are spent",
  );
  expect(scene.provider.requests).toHaveLength(1);
  const raw = await scene.post(path, chatRequest());
  expect([raw.headers.get("x-should-retry"), raw.headers.get("x-sett-error")]).toEqual([
    "false",
    "budget-exceeded",
  ]);
  const { refusal, ...figures } = JSON.parse(raw.headers.get("x-sett-budget") ?? "");
  const { refusals } = await scene.board.readSpending(scene.work.goal.goal_id);
  expect(refusals).toMatchObject([{ id: refusal, attempt: 1, ...figures }]);
  expect(figures).toEqual({
    scope: "goal",
    kind: "calls",
    allowed: 1,
    limit: 1,
    spent: 1,
    reserved: 0,
    needed: 1,
  });
});

test("the client of Anthropic gets a billing error", async () => {
  await using scene = await sceneOf([chatAnswer()], {
    provider: "anthropic",
    grant: { nanousd: 0 },
  });
  const client = new Anthropic({ apiKey: scene.token, baseURL: scene.anthropic });
  const order = {
    model: "any",
    max_tokens: 10,
    messages: [{ role: "user" as const, content: "hello" }],
  };
  const error = await client.messages.create(order).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toMatchObject({
    status: 402,
    error: { type: "error", error: { type: "billing_error" } },
  });
  expect(String(error)).toContain(
    "The budget of this agent's work on the claim does not allow this call: of $0.0000",
  );
  expect(scene.provider.requests).toEqual([]);
});

test("twenty calls at once never exceed the goal's budget", async () => {
  // Each needs less than 3000 tokens in the worst case, and uses 25.
  await using scene = await sceneOf([chatAnswer()], {
    goal: { tokens: 10_000 },
    model: { parallel: 100 },
  });
  const all = await Promise.all(Array.from({ length: 20 }, () => scene.post(path, chatRequest())));
  const counts = {
    ok: all.filter(({ status }) => status === 200).length,
    spent: all.filter(({ status }) => status === 402).length,
  };
  expect(counts.ok + counts.spent).toBe(20);
  expect(counts.ok).toBeGreaterThanOrEqual(3);
  expect(scene.provider.requests).toHaveLength(counts.ok);
  const [record] = await scene.ended(counts.ok);
  expect(record?.reserved.tokens).toBeGreaterThan(2_000);
  expect(record?.reserved.tokens).toBeLessThan(3_000);
  const { spent, reserved } = await scene.board.readSpending(scene.work.goal.goal_id);
  expect([spent.tokens, reserved.tokens, spent.calls]).toEqual([counts.ok * 25, 0, counts.ok]);
});

test("a call that fits beside what is spent waits for the reservations of calls under way", async () => {
  const door = gate();
  await using scene = await sceneOf([door.answer], { goal: { tokens: 3_000 } });
  const [first, second] = [scene.post(path, chatRequest()), scene.post(path, chatRequest())];
  await waitFor("one call to reach the provider", () => scene.provider.requests.length === 1);
  door.open();
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
  expect((await scene.ended(2)).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
});

test("a call that has waited is refused once the others have spent the budget", async () => {
  const door = gate();
  await using scene = await sceneOf([door.answer], { goal: { calls: 1 } });
  const all = Promise.all([scene.post(path, chatRequest()), scene.post(path, chatRequest())]);
  await waitFor("one call to reach the provider", () => scene.provider.requests.length === 1);
  door.open();
  expect((await all).map(({ status }) => status).sort()).toEqual([200, 402]);
  expect(scene.provider.requests).toHaveLength(1);
});

test("a client that calls again at the last event is not refused for what its last call has reserved", async () => {
  const parts = [chatChunk("one"), usageChunk, "data: [DONE]\n\n"];
  await using scene = await sceneOf([stream(parts, "hang")], {
    goal: { tokens: 2_500 },
  });
  const request = chatRequest({ stream: true });
  const first = await scene.post(path, request);
  const reader = first.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("[DONE]")) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    expect(done).toBe(false);
    text += decoder.decode(value);
  }
  const [second] = await Promise.all([scene.post(path, request), reader?.cancel()]);
  expect(second.status).toBe(200);
  await second.body?.cancel();
  expect((await scene.ended(2)).map(({ outcome }) => outcome)).toContain("ok");
});

test("what the provider has counted makes the next reckoning of a conversation close", async () => {
  const long = "word ".repeat(4_000);
  await using scene = await sceneOf([
    chatAnswer("hi", { prompt_tokens: 4_100, completion_tokens: 5 }),
  ]);
  const messages = [{ role: "user", content: long }];
  await scene.post(path, chatRequest({ messages }));
  await scene.post(
    path,
    chatRequest({
      messages: [
        ...messages,
        { role: "assistant", content: "hi" },
        { role: "user", content: "go on" },
      ],
    }),
  );
  const [first, second] = await scene.ended(2);
  expect(first?.reserved.tokens).toBeGreaterThan(20_000);
  expect(second?.reserved.tokens).toBeLessThan(7_000);
});

test("at most so many calls at once as the model allows; the others wait in order, and a client that leaves gives its place up", async () => {
  const door = gate();
  await using scene = await sceneOf([door.answer], { model: { parallel: 1 } });
  const queue = scene.gateway.calls.queueOf("strong");
  const order: string[] = [];
  const call = (name: string, init?: RequestInit) =>
    scene.post(path, chatRequest({ user: name }), init).then(
      () => order.push(name),
      () => order.push(`${name} left`),
    );
  const first = call("first");
  await waitFor("the first call", () => scene.provider.requests.length === 1);
  const leave = new AbortController();
  const leaving = call("leaving", { signal: leave.signal });
  await waitFor("one call to wait", () => queue.length === 1);
  const second = call("second");
  await waitFor("two calls to wait", () => queue.length === 2);
  leave.abort();
  await leaving;
  await waitFor("one call to wait again", () => queue.length === 1);
  door.open();
  await Promise.all([first, second]);
  expect(order).toEqual(["leaving left", "first", "second"]);
  expect(scene.provider.requests.map(({ body }) => JSON.parse(body).user)).toEqual([
    "first",
    "second",
  ]);
  expect(await scene.ended(2)).toHaveLength(2);
});

test("a call ends with its grant", async () => {
  await using scene = await sceneOf([stream([chatChunk("one")], "hang")]);
  const response = await scene.post(path, chatRequest({ stream: true }));
  const reader = response.body?.getReader();
  await reader?.read();
  const { goal, claim, grant } = scene.work;
  const result = { outcome: "done" as const, artefact: resultOf(goal, claim) };
  await scene.board.finishGrant({ claim: claim.id, grant, endedAt: at, result });
  let text = "";
  await (async () => {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      text += new TextDecoder().decode(part.value);
  })().catch(() => {});
  expect(text).toContain("The grant of this token has ended");
  expect(await scene.ended(1)).toMatchObject([{ outcome: "cancelled", is_estimated: true }]);
  const later = await scene.post(path, chatRequest());
  expect([
    later.status,
    later.headers.get("x-sett-error"),
    later.headers.get("x-should-retry"),
  ]).toEqual([403, "grant-ended", "false"]);
});

test.each([
  ["no token", {}, "The request has no token"],
  ["a key of a provider", { authorization: "Bearer sk-ant-123" }, "takes only tokens of Sett"],
  ["a token that was never given", { "x-api-key": "" }, "The token is not good"],
] as const)("%s: 401, and no provider is asked", async (name, headers, words) => {
  await using scene = await sceneOf([chatAnswer()]);
  const forged = scene.token.replace(/.{43}$/, "A".repeat(43));
  const sent = name === "a token that was never given" ? { "x-api-key": forged } : headers;
  const answer = await scene.post(path, chatRequest(), { headers: sent });
  expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([401, "false"]);
  expect(await answer.text()).toContain(words);
  expect(scene.provider.requests).toEqual([]);
});
