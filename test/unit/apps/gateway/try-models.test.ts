import { expect, test } from "bun:test";
import { judgeModel } from "../../../../apps/cli/doctor/judge-models.ts";
import { tryModels } from "../../../../apps/gateway/try-models.ts";
import type { ModelSettings } from "../../../../lib/model/config-models.ts";

type Body = { stream?: boolean; tools?: unknown; max_completion_tokens?: number };

/** A server of OpenAI's API, as far as these questions go. */
function serverOf(answer: (body: Body) => Response) {
  const bodies: Body[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = (await request.json()) as Body;
      bodies.push(body);
      return answer(body);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    bodies,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

const settings = (base_url: string, over: Partial<ModelSettings> = {}): ModelSettings => ({
  ...{ provider: "openai", model: "m", base_url, parallel: 1, timeout_ms: 60_000 },
  ...{ needs_key: false, max_output: 1_000_000, price: { input: 1, output: 2 } },
  ...over,
});

async function trialOf(model: ModelSettings, key?: string) {
  const [trial] = await tryModels(new Map([["local", model]]), { read: async () => key });
  if (trial === undefined) throw new Error("The model was asked.");
  return trial;
}

const events = new Response('data: {"choices":[]}\n\ndata: [DONE]\n\n', {
  headers: { "content-type": "text/event-stream" },
});
const calling = (call: object | undefined) =>
  Response.json({ choices: [{ message: { content: "blue", tool_calls: call && [call] } }] });
const call = {
  type: "function",
  function: { name: "note_colour", arguments: '{"colour":"blue"}' },
};

test("a model that answers, streams and calls tools is well, and its longest answer has a price", async () => {
  await using local = serverOf(({ stream }) => (stream ? events.clone() : calling(call)));
  const trial = await trialOf(settings(local.url));
  expect(trial).toMatchObject({ streams: true, calls_tools: true });
  expect(judgeModel(trial)).toEqual({
    ...{ subject: "gateway", check: "model local", level: "ok" },
    found: "answers, streams and calls tools; one answer has at most 1000000 tokens ($2.00)",
  });
  expect(local.bodies.map(({ stream, tools }) => [stream, tools !== undefined])).toEqual([
    [true, false],
    [undefined, true],
  ]);
});

test("a model that calls no tool, and one that is out of memory, are said with the provider's words", async () => {
  await using mute = serverOf(({ stream }) => (stream ? events.clone() : calling(undefined)));
  expect(judgeModel(await trialOf(settings(mute.url)))).toMatchObject({
    level: "warning",
    found: expect.stringContaining("answers, but calls no tool"),
  });
  await using full = serverOf(() =>
    Response.json({ error: { message: "CUDA out of memory" } }, { status: 500 }),
  );
  expect(judgeModel(await trialOf(settings(full.url)))).toMatchObject({
    level: "problem",
    found: "It answers with 500: CUDA out of memory",
  });
  expect(await trialOf(settings("http://127.0.0.1:1/v1"))).toMatchObject({
    problem: "http://127.0.0.1:1/v1 refuses the connection.",
  });
});

test("a provider that quotes the key does not show it", async () => {
  const key = "sk-a-key-that-no-terminal-may-show";
  await using strict = serverOf(() =>
    Response.json({ error: { message: `Incorrect key: ${key}` } }, { status: 401 }),
  );
  expect(await trialOf(settings(strict.url, { needs_key: true }), key)).toMatchObject({
    problem: "It answers with 401: Incorrect key: [key]",
  });
});
