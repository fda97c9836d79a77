// A gateway records what the official SDKs get from a mock server that others maintain, and another
// one replays it without any.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { LLMock } from "@copilotkit/aimock";
import OpenAI from "openai";
import type { CallRecord } from "../../../lib/model/model-call.ts";
import {
  chatRequest,
  type GatewayScene,
  key,
  startGateway,
} from "../../support/gateway/gateway-scene.ts";

const mock = new LLMock({ port: 0 });
const usage = { input_tokens: 12, output_tokens: 7 };
const texts = ["one", "two", "three", "four"];
/** No server is there. */
const nowhere = "http://127.0.0.1:9/v1";

beforeAll(async () => {
  for (const text of texts) mock.onMessage(text, { content: `This is ${text}.`, usage });
  await mock.start();
});
afterAll(() => mock.stop());

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), "sett-cassettes-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const record = (folder: string, provider: "anthropic" | "openai") =>
  startGateway({ base_url: `${mock.url}/v1`, provider, cassette: { folder, mode: "record" } });
const replay = (folder: string, provider: "anthropic" | "openai", goal = {}) =>
  startGateway({
    base_url: nowhere,
    provider,
    key: undefined,
    goal,
    cassette: { folder, mode: "replay" },
  });

/** The bytes that a client gets, whole and as a stream, of each text. */
async function bytesOf(
  scene: GatewayScene,
  path: string,
  order: readonly string[],
): Promise<Map<string, string>> {
  const entries = order.flatMap((text) =>
    [false, true].map(async (stream) => {
      const messages = [{ role: "user", content: text }];
      const response = await scene.post(
        path,
        chatRequest({ messages, ...(stream ? { stream } : {}) }),
      );
      return [
        `${text} ${stream}`,
        `${response.status} ${response.headers.get("content-type")} ${await response.text()}`,
      ] as const;
    }),
  );
  return new Map(await Promise.all(entries));
}

const costsOf = (records: readonly CallRecord[]) =>
  records
    .map(({ usage, cost, is_estimated, outcome }) =>
      JSON.stringify({ usage, cost, is_estimated, outcome }),
    )
    .sort();

test.each([
  ["anthropic", "/anthropic/v1/messages"],
  ["openai", "/openai/v1/chat/completions"],
] as const)(
  "calls of %s are replayed bit for bit in any order, and count as they did",
  async (provider, path) => {
    await using place = await openFolder();
    await using recorder = await record(place.folder, provider);
    const recorded = await bytesOf(recorder, path, texts);
    expect([...recorded.values()].every((text) => text.startsWith("200"))).toBe(true);
    await using replayer = await replay(place.folder, provider);
    const replayed = await bytesOf(replayer, path, texts.toReversed());
    for (const [name, bytes] of recorded) expect(replayed.get(name)).toBe(bytes);
    expect(costsOf(await replayer.ended(8))).toEqual(costsOf(await recorder.ended(8)));
    expect((await replayer.board.readGateway())?.cassettes).toBe("replay");
    expect(replayer.gateway.state).toMatchObject({
      cassettes: "replay",
      models: { strong: { key: "not needed" } },
    });
  },
);

test("the official clients work in a replay, and get a request that was not recorded as an error that they do not repeat", async () => {
  await using place = await openFolder();
  const messages = [{ role: "user" as const, content: "one" }];
  const others = [{ role: "user" as const, content: "one more" }];
  for (const start of [record, replay]) {
    await using scene = await start(place.folder, "anthropic");
    const client = new Anthropic({ apiKey: scene.token, baseURL: scene.anthropic });
    const answer = await client.messages
      .stream({ model: "any", max_tokens: 100, messages })
      .finalMessage();
    expect(answer.content).toMatchObject([{ type: "text", text: "This is one." }]);
    if (start === record) continue;
    const error = await client.messages
      .create({ model: "any", max_tokens: 100, messages: others })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(String(error)).toContain(
      "The nearest is coder/0001.json; it differs first at messages[0].content",
    );
    expect(await scene.ended(2)).toMatchObject([
      { outcome: "ok" },
      { outcome: "refused", status: 404, cost: { nanousd: 0 } },
    ]);
  }
  await using scene = await replay(place.folder, "openai");
  const client = new OpenAI({ apiKey: scene.token, baseURL: scene.openai });
  const error = await client.chat.completions
    .create({ model: "any", messages })
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  expect(await scene.ended(1)).toMatchObject([{ tries: 0 }]);
});

test("a replay spends the budget as the calls did, and no more than it has", async () => {
  await using place = await openFolder();
  await using recorder = await record(place.folder, "openai");
  await bytesOf(recorder, "/openai/v1/chat/completions", ["one", "two"]);
  await using replayer = await replay(place.folder, "openai", { calls: 3 });
  const replayed = await bytesOf(replayer, "/openai/v1/chat/completions", ["one", "two"]);
  const statuses = [...replayed.values()].map((text) => text.slice(0, 3));
  expect(statuses.toSorted()).toEqual(["200", "200", "200", "402"]);
});

test("no file of a recording has the key or the token, even where the conversation has them", async () => {
  await using place = await openFolder();
  await using recorder = await record(place.folder, "openai");
  const messages = [{ role: "user", content: `one: ${key} ${recorder.token} Bearer ${key}` }];
  expect(
    (await recorder.post("/openai/v1/chat/completions", chatRequest({ messages }))).status,
  ).toBe(200);
  const files = await readdir(place.folder, { recursive: true });
  expect(files.toSorted()).toEqual(["coder", "coder/0001.json"]);
  const text = await readFile(join(place.folder, "coder/0001.json"), "utf8");
  expect(text).not.toContain(key);
  expect(text).not.toContain(recorder.token);
  expect(text).toContain("one: [secret] [secret] Bearer [secret]");
});
