// Providers that fail, refuse or answer with something else: what the client gets, what is tried
// again, and what is on record.
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:net";
import { type After, systemAfter } from "../../../lib/async/after.ts";
import {
  chatAnswer,
  chatChunk,
  type FaultyAnswer,
  startFaultyProvider,
  status,
  stream,
} from "../../support/gateway/faulty-provider.ts";
import { chatRequest, key, settingsOf, startGateway } from "../../support/gateway/gateway-scene.ts";
import { sceneOf } from "../../support/gateway/provider-scene.ts";
import { waitFor } from "../../support/wait-for.ts";

const minutes = 120_000;
const path = "/openai/v1/chat/completions";
/** Nothing listens there. */
const nowhere = "http://127.0.0.1:1/v1";

const messageOf = async (response: Response) => {
  const body = (await response.json()) as { error: { message: string; code: string | null } };
  return body.error.message;
};

test("an overloaded provider is asked again until it answers, and the call is charged once", async () => {
  await using scene = await sceneOf([
    status(529),
    status(429, {}, { "retry-after-ms": "1" }),
    chatAnswer(),
  ]);
  const answer = await scene.post(path, chatRequest());
  expect(answer.status).toBe(200);
  const [record] = await scene.ended(1);
  expect(record).toMatchObject({
    outcome: "ok",
    tries: 3,
    answered_model: "provider-model-1",
    is_estimated: false,
  });
  expect(record?.usage).toEqual({ input: 20, output: 5, cached: 4, cache_write: 0, reasoning: 0 });
  // 16 tokens at 2, 4 at 0.5 and 5 at 10 dollars for a million.
  expect(record?.cost).toEqual({ nanousd: 84_000, tokens: 25, calls: 1 });
  expect(scene.log.filter((line) => line.includes("Asking the provider again"))).toHaveLength(2);
});

/** Takes the request, and closes the connection without an answer. */
const cut: FaultyAnswer = () => Promise.reject(new Error("closed by the test"));
/** Breaks off behind the headers of its answer. */
const bare: FaultyAnswer = () => {
  const pull = (controller: ReadableStreamDefaultController) =>
    controller.error(new Error("broken by the test"));
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
};
const long = { messages: [{ role: "user", content: "a question of words ".repeat(5_000) }] };

test("each try that a provider takes and does not answer is charged what was sent, and marked", async () => {
  const cases: [answers: FaultyAnswer[], stream: boolean, tries: number, lost: number][] = [
    [[cut], false, 4, 4],
    [[cut], true, 4, 4],
    [[bare, status(503)], false, 4, 1],
    [[stream([]), cut, status(400)], true, 3, 2],
    [[cut, bare, chatAnswer("hi", { prompt_tokens: 20_000, completion_tokens: 1 })], false, 3, 2],
  ];
  for (const [answers, isStream, tries, lost] of cases) {
    await using scene = await sceneOf(answers);
    await scene.post(path, chatRequest({ ...long, stream: isStream })).then((one) => one.text());
    const [record] = await scene.ended(1);
    expect([record?.tries, scene.provider.requests.length]).toEqual([tries, tries]);
    expect(record).toMatchObject({ is_estimated: true, cost: { calls: 1 } });
    const answered = record?.outcome === "ok" ? 20_000 : 0;
    // A hundred thousand bytes are near to 33 000 tokens.
    const each = (Number(record?.usage.input) - answered) / lost;
    expect(each).toBeWithin(25_000, 40_000);
    expect(record?.cost.nanousd).toBeWithin(1, Number(record?.reserved.nanousd) + 1);
  }
});

test("a connection that is reset before the request was read is charged as one that took it, and what is refused is not", async () => {
  await using provider = await startResetting();
  const { base_url } = provider;
  const costOf = async (options: { base_url: string; retry: { maxTries: number } }) => {
    await using scene = await sceneOf([], options);
    const answer = await scene.post(path, chatRequest({ ...long, max_tokens: 1 }));
    expect(answer.status).toBe(502);
    const [record] = await scene.ended(1);
    return record;
  };
  const reset = await costOf({ base_url, retry: { maxTries: 2 } });
  expect(reset).toMatchObject({ tries: 2, is_estimated: true, usage: { output: 0 } });
  expect(Number(reset?.usage.input) / 2).toBeWithin(25_000, 40_000);
  const refused = await costOf({ base_url: nowhere, retry: { maxTries: 2 } });
  expect(refused).toMatchObject({ tries: 2, is_estimated: false, cost: { nanousd: 0, tokens: 0 } });
});

/** Accepts each connection, and resets it at once. */
async function startResetting() {
  const server = createServer((socket) => socket.on("error", () => {}).resetAndDestroy());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    base_url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

test("what is lost again and again is repeated as long as that is paid for, and then by the client", async () => {
  await using scene = await sceneOf([cut], { retry: { maxTries: 10 } });
  const answer = await scene.post(path, chatRequest({ ...long, max_tokens: 1 }));
  expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([502, "true"]);
  const [record] = await scene.ended(1);
  expect([record?.tries, scene.provider.requests.length]).toEqual([4, 4]);
  expect(record?.cost.tokens).toBe(record?.reserved.tokens);
});

test("a provider that stays overloaded: the client gets its answer, is asked not to repeat it, and pays nothing", async () => {
  await using scene = await sceneOf([status(503, { error: { message: "Overloaded" } })]);
  const answer = await scene.post(path, chatRequest());
  expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([503, "false"]);
  expect(await messageOf(answer)).toBe("Overloaded");
  expect(await scene.ended(1)).toMatchObject([
    { outcome: "failed", status: 503, tries: 4, cost: { nanousd: 0, tokens: 0, calls: 1 } },
  ]);
});

const overloadedStream = stream([
  'event: error\ndata: {"type":"error","error":{"message":"Overloaded"}}\n\n',
]);

describe("a model with a `fallback`", () => {
  const cases: [name: string, FaultyAnswer | undefined, expected: Record<string, unknown>][] = [
    [
      "is overloaded",
      status(503, {}, { "retry-after-ms": "200" }),
      { status: 503, cost: { nanousd: 0, tokens: 0, calls: 1 } },
    ],
    ["has no capacity", status(429, {}, { "retry-after": "30" }), { status: 429, tries: 1 }],
    ["is away", undefined, { status: 502 }],
    ["begins its stream with an error", overloadedStream, { status: 502 }],
  ];

  test.each(cases)(
    "whose provider %s: the next one answers at its own price, and both are on record",
    async (_, answer, expected) => {
      await using next = await startFaultyProvider(chatAnswer());
      const weak = { base_url: nowhere, model: { model: "weak-model" } };
      const cheap = {
        base_url: next.base_url,
        model: { model: "cheap-model", price: { input: 1, output: 1 } },
      };
      await using scene = await sceneOf(answer ?? [], {
        ...(answer === undefined && { base_url: weak.base_url }),
        model: { fallback: ["weak", "cheap"] },
        others: { weak: settingsOf(weak), cheap: settingsOf(cheap) },
        retry: { maxTries: 2 },
      });
      const startedMs = performance.now();
      const response = await scene.post(path, chatRequest());
      const passedMs = performance.now() - startedMs;
      expect([response.status, Object(await response.json()).model]).toEqual([
        200,
        "provider-model-1",
      ]);
      expect(JSON.parse(next.requests[0]?.body ?? "").model).toBe("cheap-model");
      const calls = new Map((await scene.ended(3)).map((call) => [call.model, call]));
      expect(Object.fromEntries(calls)).toMatchObject({
        strong: { outcome: "failed", ...expected },
        weak: { instead_of: "strong", outcome: "failed", status: 502 },
        cheap: { instead_of: "strong", outcome: "ok", cost: { nanousd: 25_000 } },
      });
      expect(calls.get("strong")).not.toHaveProperty("instead_of");
      const durations = [...calls.values()].map((call) => call.duration_ms);
      expect(durations.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(passedMs + calls.size);
    },
    minutes,
  );

  test(
    "answers alone where its stream has begun, and where the request is at fault, and asks for no money that there is not",
    async () => {
      await using next = await startFaultyProvider(chatAnswer());
      const options = {
        model: { fallback: ["cheap"] },
        others: { cheap: settingsOf({ base_url: next.base_url }) },
        retry: { maxTries: 1 },
      };
      const moved = status(307, {}, { location: next.base_url });
      for (const answer of [status(400), status(401), status(404), moved]) {
        await using scene = await sceneOf(answer, options);
        await scene.post(path, chatRequest()).then((one) => one.text());
        expect(await scene.ended(1)).toMatchObject([{ model: "strong", outcome: "refused" }]);
      }
      const broken = Promise.withResolvers<void>();
      await using begun = await sceneOf(stream([chatChunk("a")], broken.promise), options);
      const { body } = await begun.post(path, chatRequest({ stream: true }));
      const reader = body?.getReader();
      expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"a"');
      broken.resolve();
      while ((await reader?.read().catch(() => undefined))?.done === false);
      expect(await begun.ended(1)).toMatchObject([{ model: "strong", outcome: "failed" }]);
      await using poor = await sceneOf(status(503), { ...options, goal: { calls: 1 } });
      expect((await poor.post(path, chatRequest())).status).toBe(402);
      expect(next.requests).toEqual([]);
    },
    minutes,
  );
});

test("a wait that the provider asks for is not begun where it is longer than the call may take", async () => {
  await using scene = await sceneOf([
    status(429, { error: { message: "Slow down" } }, { "retry-after": "3600" }),
  ]);
  const answer = await scene.post(path, chatRequest());
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "3600"]);
  expect(scene.provider.requests).toHaveLength(1);
});

test("a client that leaves before the provider is asked again pays nothing", async () => {
  await using scene = await sceneOf([status(503)], {
    retry: { firstMs: 600_000, maxMs: 600_000 },
    model: { timeout_ms: 86_400_000 },
  });
  const leave = new AbortController();
  const call = scene.post(path, chatRequest(), { signal: leave.signal }).catch(() => "left");
  await waitFor("the wait", () =>
    scene.log.some((line) => line.includes("Asking the provider again")),
  );
  leave.abort();
  expect(await call).toBe("left");
  expect(await scene.ended(1)).toMatchObject([
    {
      outcome: "cancelled",
      tries: 1,
      is_estimated: false,
      cost: { nanousd: 0, tokens: 0, calls: 1 },
    },
  ]);
});

test.each([401, 403])("a refused key (%i) is final, and named by its model only", async (code) => {
  await using scene = await sceneOf([
    status(code, { error: { message: `Incorrect API key provided: ${key}` } }),
  ]);
  const answer = await scene.post(path, chatRequest());
  expect([
    answer.status,
    answer.headers.get("x-sett-error"),
    answer.headers.get("x-should-retry"),
  ]).toEqual([code, "key-refused", "false"]);
  const message = await messageOf(answer);
  expect(message).toContain(`The provider refused the key of the model \`strong\` (${code}).`);
  expect(message).not.toContain(key);
  expect(scene.provider.requests).toHaveLength(1);
  expect(JSON.stringify(await scene.ended(1)) + scene.log.join("")).not.toContain(key);
});

test("an unknown model is final, with the provider's words", async () => {
  await using scene = await sceneOf([status(404, { error: { message: "no such model" } })]);
  const message = await messageOf(await scene.post(path, chatRequest()));
  expect(message).toContain("The provider of the model `strong` does not know `provider-model`");
  expect(message).toContain("It says: no such model");
});

test("another refusal is passed on as it is, but for a key that it quotes", async () => {
  await using scene = await sceneOf([
    status(400, { error: { message: `context too long ${key}` } }),
  ]);
  const answer = await scene.post(path, chatRequest());
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({ error: { message: "context too long [key]" } });
  expect(await scene.ended(1)).toMatchObject([{ outcome: "refused", status: 400, tries: 1 }]);
});

test.each([
  [{ error: { message: "Upstream is gone", code: 502 } }, "Upstream is gone"],
  [{ error: "no capacity" }, "no capacity"],
  [
    { id: "resp_1", status: "failed", error: { code: "server_error" } },
    "The provider answered with an error.",
  ],
])("an error with status 200 is on record as a failure: %j", async (body, problem) => {
  await using scene = await sceneOf([status(200, body)]);
  const answer = await scene.post(path, chatRequest());
  expect([answer.status, await answer.json()]).toEqual([200, body]);
  expect(await scene.ended(1)).toMatchObject([{ outcome: "failed", status: 200, problem }]);
});

test("a provider that is not there: a sentence with its address and the model's name", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  await new Promise((resolve) => server.close(resolve));
  await using scene = await startGateway({ base_url: `http://127.0.0.1:${port}/v1` });
  const answer = await scene.post(path, chatRequest());
  expect([answer.status, answer.headers.get("x-sett-error")]).toEqual([
    502,
    "provider-unreachable",
  ]);
  expect(await messageOf(answer)).toBe(
    `The provider of the model \`strong\` at 127.0.0.1:${port} refuses the connection. The gateway has tried 4 times.`,
  );
  expect(await scene.ended(1)).toMatchObject([
    { outcome: "failed", cost: { nanousd: 0 }, is_estimated: false },
  ]);
});

test.each([
  [
    "a web page",
    () => new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } }),
    "text/html",
    false,
  ],
  [
    "garbage",
    () =>
      new Response(new Uint8Array([0, 255, 1, 254]), {
        headers: { "content-type": "application/json" },
      }),
    "application/json",
    true,
  ],
  ["a JSON list", () => Response.json([1]), "application/json", true],
] as const)(
  "%s in place of an answer becomes an error with a sentence",
  async (_, garbage, type, hasWorked) => {
    await using scene = await sceneOf([garbage]);
    const answer = await scene.post(path, chatRequest());
    expect(answer.status).toBe(502);
    expect(await messageOf(answer)).toContain(
      `The provider of the model \`strong\` answered with ${type}`,
    );
    const [record] = await scene.ended(1);
    // A model may have worked for all but a page for people.
    expect(record).toMatchObject({ outcome: "failed", status: 502, is_estimated: hasWorked });
    expect(Number(record?.cost.nanousd) > 0).toBe(hasWorked);
  },
);

test("an answer that breaks off once it has begun is charged, and each repetition is a call of its own", async () => {
  // Only what has arrived before the connection breaks has begun: with it the gateway sets its
  // timer for silence a second time.
  const arrived = Promise.withResolvers<void>();
  let timers = 0;
  const after: After = (ms, then) => {
    timers++;
    if (timers === 2) arrived.resolve();
    return systemAfter(ms, then);
  };
  const broken: FaultyAnswer = () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"choices":[')),
      pull: async (controller) => {
        await arrived.promise;
        controller.error(new Error("broken by the test"));
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  };
  await using scene = await sceneOf([broken], { after });
  const answer = await scene.post(path, chatRequest());
  expect([
    answer.status,
    answer.headers.get("x-sett-error"),
    answer.headers.get("x-should-retry"),
  ]).toEqual([502, "answer-broken", "true"]);
  expect(scene.provider.requests).toHaveLength(1);
  const [record] = await scene.ended(1);
  expect(record).toMatchObject({ outcome: "failed", tries: 1, is_estimated: true });
  expect(record?.cost.nanousd).toBeWithin(1, Number(record?.reserved.nanousd));
});

test("a provider that quotes the key in answers, streams and headers does not show it", async () => {
  const quoted = { "content-type": "application/json", "request-id": key, "x-ratelimit-key": key };
  const whole: FaultyAnswer = () =>
    Response.json({ usage: {}, sent: { authorization: key } }, { headers: quoted });
  const parts = [
    chatChunk("a"),
    `data: {"error":{"message":"${key.slice(0, 9)}`,
    `${key.slice(9)}"}}\n\n`,
    "data: [DONE]\n\n",
  ];
  await using scene = await sceneOf([whole, stream(parts), status(400, {}, quoted)]);
  for (const over of [{}, { stream: true }, {}]) {
    const answer = await scene.post(path, chatRequest(over));
    expect(`${await answer.text()}${JSON.stringify([...answer.headers])}`).not.toContain(key);
  }
  const records = JSON.stringify(await scene.ended(3));
  expect(records).toContain("[key]");
  expect(`${records}${scene.log.join()}`).not.toContain(key);
});

test("a stream that begins with an error is left before the provider is asked again", async () => {
  const overloaded = stream(
    ['event: error\ndata: {"type":"error","error":{"message":"Overloaded"}}\n\n'],
    "hang",
  );
  await using scene = await sceneOf([overloaded, chatAnswer()]);
  expect((await scene.post(path, chatRequest({ stream: true }))).status).toBe(200);
  await waitFor("the end of the first stream", () => scene.provider.left === 1);
});

test("a redirection is not followed: the key is for one address", async () => {
  await using other = await startFaultyProvider(chatAnswer());
  await using scene = await sceneOf([
    () =>
      new Response(null, {
        status: 307,
        headers: { location: `${other.base_url}/chat/completions` },
      }),
  ]);
  const answer = await scene.post(path, chatRequest());
  expect(answer.status).toBe(502);
  expect(await messageOf(answer)).toContain("redirects to another address (307)");
  expect(other.requests).toEqual([]);
});

test("an answer that is larger than the limit ends with an error", async () => {
  await using scene = await sceneOf([chatAnswer("x".repeat(3_000_000))], {
    limits: { maxAnswerBytes: 1024 * 1024 },
  });
  const answer = await scene.post(path, chatRequest());
  expect([answer.status, await messageOf(answer)]).toEqual([
    502,
    "The answer of the model `strong` is larger than 1 MiB.",
  ]);
});

test("an answer that does not say what it used is charged what came", async () => {
  await using scene = await sceneOf([chatAnswer("hi", null)]);
  await scene.post(path, chatRequest());
  const [record] = await scene.ended(1);
  expect(record).toMatchObject({ outcome: "ok", is_estimated: true, usage: { output: 1 } });
  expect(record?.cost.nanousd).toBeWithin(1, Number(record?.reserved.nanousd) / 10);
});

test("a provider that never answers is left at the call's time", async () => {
  await using scene = await sceneOf([() => new Promise<Response>(() => {})], {
    model: { timeout_ms: 2_000 },
  });
  const answer = await scene.post(path, chatRequest());
  expect([answer.status, await messageOf(answer)]).toEqual([
    504,
    "The model `strong` sent nothing for 2 s, which is its timeout.",
  ]);
  expect(await scene.ended(1)).toMatchObject([
    { outcome: "failed", status: 504, is_estimated: true },
  ]);
});

test("without a key the provider is not asked, and the sentence says what to do", async () => {
  await using scene = await sceneOf([chatAnswer()], { key: undefined });
  const answer = await scene.post(path, chatRequest());
  expect([
    answer.status,
    answer.headers.get("x-sett-error"),
    answer.headers.get("x-should-retry"),
  ]).toEqual([503, "key-missing", "false"]);
  expect(await messageOf(answer)).toBe(
    "The gateway has no key of the model `strong`: run `sett up`, which brings the keys again.",
  );
  expect(scene.provider.requests).toEqual([]);
  expect(await scene.ended(1)).toMatchObject([
    { outcome: "refused", tries: 0, cost: { nanousd: 0, tokens: 0, calls: 0 } },
  ]);
  expect(await fetch(`${scene.url}/healthz`).then(({ status: code }) => code)).toBe(200);
  expect(
    JSON.stringify(await fetch(`${scene.url}/internal/state`).then((state) => state.json())),
  ).toContain("missing: run `sett up`");
});
