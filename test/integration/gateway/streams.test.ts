// Streams: what passes and when, and how they end when they do not end well.
import { expect, test } from "bun:test";
import {
  chatAnswer,
  chatChunk,
  endless,
  event,
  type FaultyAnswer,
  status,
  stream,
  usageChunk,
} from "../../support/gateway/faulty-provider.ts";
import { chatRequest } from "../../support/gateway/gateway-scene.ts";
import { sceneOf } from "../../support/gateway/provider-scene.ts";
import { readStream } from "../../support/gateway/read-stream.ts";
import { setTime } from "../../support/gateway/set-time.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

const path = "/openai/v1/chat/completions";
const request = chatRequest({ stream: true });
const done = "data: [DONE]\n\n";

test("a stream passes byte for byte, but for the usage that the client did not ask for", async () => {
  const parts = [
    `: a comment\r\n\r\n${chatChunk("one")}`,
    chatChunk("two").slice(0, 30),
    chatChunk("two").slice(30),
    usageChunk,
    done,
  ];
  await using scene = await sceneOf([stream(parts)]);
  const { text, isBroken } = await readStream(scene, path, request);
  expect(isBroken).toBe(false);
  expect(text).toBe(`: a comment\r\n\r\n${chatChunk("one")}${chatChunk("two")}${done}`);
  expect(JSON.parse(scene.provider.requests[0]?.body ?? "")).toMatchObject({
    model: "provider-model",
    stream_options: { include_usage: true },
  });
  const [record] = await scene.ended(1);
  expect(record).toMatchObject({
    outcome: "ok",
    is_stream: true,
    is_estimated: false,
    usage: { input: 20, output: 5 },
  });
  expect(record?.first_byte_ms).toBeDefined();
  expect(record?.answer?.bytes).toBe(text.length);
});

test("a client that asks for the usage gets it", async () => {
  const whole = `${chatChunk("one")}${usageChunk}${done}`;
  await using scene = await sceneOf([stream([whole])]);
  const asking = { ...request, stream_options: { include_usage: true } };
  expect((await readStream(scene, path, asking)).text).toBe(whole);
});

test("the first event reaches the client before the provider has made the second", async () => {
  await using scene = await sceneOf([stream([chatChunk("one")], "hang")]);
  const leave = new AbortController();
  const response = await scene.post(path, request, { signal: leave.signal });
  const first = await response.body?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toBe(chatChunk("one"));
  leave.abort();
  await waitFor("the provider's stream to be left", () => scene.provider.left === 1);
  expect(await scene.ended(1)).toMatchObject([
    { outcome: "cancelled", is_estimated: true, problem: "The client went away." },
  ]);
});

test("a client that goes away before the first byte ends the call of the provider", async () => {
  let isAborted = false;
  const silent: FaultyAnswer = (asked) =>
    new Promise(() => {
      asked.signal.addEventListener("abort", () => {
        isAborted = true;
      });
    });
  await using scene = await sceneOf([silent]);
  const leave = new AbortController();
  const call = scene.post(path, request, { signal: leave.signal }).catch(() => "left");
  await waitFor("the provider to be asked", () => scene.provider.requests.length === 1);
  leave.abort();
  await waitFor("the provider's call to be ended", () => isAborted);
  expect(await call).toBe("left");
  expect(await scene.ended(1)).toMatchObject([{ outcome: "cancelled", is_estimated: true }]);
});

test("a stream that breaks ends with an error event and a broken connection, and is charged what came", async () => {
  const broken = Promise.withResolvers<void>();
  await using scene = await sceneOf([stream([chatChunk("one"), chatChunk("two")], broken.promise)]);
  const { text, isBroken } = await readStream(scene, path, request, (soFar) => {
    if (soFar.includes(chatChunk("two"))) broken.resolve();
  });
  expect(isBroken).toBe(true);
  expect(text).toStartWith(chatChunk("one") + chatChunk("two"));
  expect(text).toContain("The provider of the model `strong` broke its stream off before the end.");
  const [record] = await scene.ended(1);
  expect(record).toMatchObject({ outcome: "failed", is_estimated: true });
  expect(record?.usage).toMatchObject({ output: 2 });
  expect(record?.cost.nanousd).toBeWithin(1, Number(record?.reserved.nanousd) / 10);
});

test("a stream that just stops is no whole answer either", async () => {
  await using scene = await sceneOf([stream([chatChunk("one")])]);
  expect((await readStream(scene, path, request)).isBroken).toBe(true);
  expect(await scene.ended(1)).toMatchObject([{ outcome: "failed", is_estimated: true }]);
});

test("a server that sends no [DONE] has answered where it gives the reason of the end", async () => {
  const last = event({
    model: "m",
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    usage: { prompt_tokens: 9, completion_tokens: 2 },
  });
  await using scene = await sceneOf([stream([chatChunk("one"), last])]);
  expect((await readStream(scene, path, request)).isBroken).toBe(false);
  expect(await scene.ended(1)).toMatchObject([
    { outcome: "ok", is_estimated: false, usage: { input: 9, output: 2 } },
  ]);
});

test("a stream is tried again until its first byte, and not after it", async () => {
  await using scene = await sceneOf([
    status(500),
    stream([], Promise.resolve()),
    stream([]),
    stream([chatChunk("one"), usageChunk, done]),
  ]);
  expect((await readStream(scene, path, request)).text).toBe(`${chatChunk("one")}${done}`);
  expect(await scene.ended(1)).toMatchObject([{ outcome: "ok", tries: 4 }]);
});

test("a stream that keeps sending may take longer than the timeout", async () => {
  const time = setTime();
  const parts = ["one", "two", "three"].map((text) => chatChunk(text));
  const sent = parts.map(() => Promise.withResolvers<string>());
  const send = (index: number) => sent[index]?.resolve(parts[index] ?? "");
  const answer = stream([...sent.map(({ promise }) => promise), usageChunk, done]);
  await using scene = await sceneOf([answer], { after: time.after, model: { timeout_ms: 3_000 } });
  let arrived = 0;
  send(0);
  const { isBroken } = await readStream(scene, path, request, (soFar) => {
    while (arrived < parts.length && soFar.includes(parts[arrived] ?? "")) {
      arrived += 1;
      time.pass(2_000);
      send(arrived);
    }
  });
  expect({ isBroken, arrived }).toEqual({ isBroken: false, arrived: 3 });
  expect(await scene.ended(1)).toMatchObject([{ outcome: "ok" }]);
});

test("a stream without an end is ended at the call's time", async () => {
  const time = setTime();
  await using scene = await sceneOf([stream([chatChunk("one")], "hang")], {
    after: time.after,
    model: { timeout_ms: 2_000 },
  });
  const { text, isBroken } = await readStream(scene, path, request, () => time.pass(2_000));
  expect(isBroken).toBe(true);
  expect(text).toContain("sent nothing for 2 s");
  expect(await scene.ended(1)).toMatchObject([{ outcome: "failed", is_estimated: true }]);
  await waitFor("the provider's stream to be left", () => scene.provider.left === 1);
});

nightly("a client that takes nothing holds its call no longer than the call may take", async () => {
  await using scene = await sceneOf([endless], { model: { timeout_ms: 2_000 } });
  const response = await scene.post(path, request);
  const reader = response.body?.getReader();
  await reader?.read();
  expect(await scene.ended(1)).toMatchObject([{ outcome: "failed", is_estimated: true }]);
  expect(scene.gateway.calls.queueOf("strong").running).toBe(0);
  await waitFor("the provider's stream to be left", () => scene.provider.left === 1);
  await reader?.cancel();
});

test("a stream that is larger than the limit ends with an error", async () => {
  const whole = chatChunk("x".repeat(1024 * 1024 - chatChunk("").length));
  const more = Promise.withResolvers<string>();
  await using scene = await sceneOf([stream([whole, more.promise], "hang")], {
    limits: { maxAnswerBytes: whole.length },
  });
  const { text, isBroken } = await readStream(scene, path, request, (soFar) => {
    if (soFar.length === whole.length) more.resolve(chatChunk("more"));
  });
  expect(isBroken).toBe(true);
  expect(text).toStartWith(whole);
  expect(text).toContain("is larger than 1 MiB");
});

test("a client that reads slowly slows the provider, and fills no memory", async () => {
  await using scene = await sceneOf([endless], { mode: "digests" });
  const leave = new AbortController();
  const response = await scene.post(path, request, { signal: leave.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  let before = -1;
  await waitFor(
    "the provider to wait",
    () => {
      const hasStopped = scene.provider.produced === before;
      before = scene.provider.produced;
      return hasStopped;
    },
    { everyMs: 300 },
  );
  expect(scene.provider.produced).toBeLessThan(40_000_000);
  leave.abort();
  await scene.ended(1);
});

test("garbage in a stream passes as it is, and is charged what came", async () => {
  const garbage = `${event("{not json")}${event("[1,2]")}${event("null")}${done}`;
  await using scene = await sceneOf([stream([garbage])]);
  expect((await readStream(scene, path, request)).text).toBe(garbage);
  expect(await scene.ended(1)).toMatchObject([{ outcome: "ok", is_estimated: true }]);
});

test("a provider that answers whole where a stream was asked for is passed on", async () => {
  await using scene = await sceneOf([chatAnswer()]);
  const response = await scene.post(path, request);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(await scene.ended(1)).toMatchObject([{ outcome: "ok", is_estimated: false }]);
});
