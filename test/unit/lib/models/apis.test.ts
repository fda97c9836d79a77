// The usage that providers report.
import { expect, test } from "bun:test";
import { apis } from "../../../../lib/models/apis.ts";
import { type MeasuredUsage, noUsage } from "../../../../lib/models/cost.ts";

const usage = (over: Partial<MeasuredUsage>): MeasuredUsage => ({
  ...noUsage,
  ...over,
});

test("Anthropic counts cached input apart, and OpenAI within", () => {
  expect(
    apis.messages.usageOf({
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      cache_creation: { ephemeral_1h_input_tokens: 5 },
      output_tokens: 7,
    }),
  ).toEqual(usage({ input: 130, cached: 100, cache_write: 20, long_cache_write: 5, output: 7 }));
  const chat = {
    prompt_tokens: 130,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 100 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  expect(apis.chat.usageOf(chat)).toEqual(
    usage({ input: 130, cached: 100, output: 7, reasoning: 3 }),
  );
  const responses = {
    input_tokens: 130,
    output_tokens: 7,
    input_tokens_details: { cached_tokens: 100 },
    output_tokens_details: { reasoning_tokens: 3 },
  };
  expect(apis.responses.usageOf(responses)).toEqual(
    usage({ input: 130, cached: 100, output: 7, reasoning: 3 }),
  );
});

const cacheOf = (detail: object, besides: object = {}) => ({
  prompt_tokens_details: detail,
  ...besides,
});
test.each<[who: string, counts: object, is: Partial<MeasuredUsage>]>([
  [
    "OpenAI",
    cacheOf({ cached_tokens: 50, cache_write_tokens: 40 }),
    { cached: 50, cache_write: 40 },
  ],
  [
    "LiteLLM",
    cacheOf(
      {
        ...{ cached_tokens: 50, cache_creation_tokens: 40, cache_write_tokens: 40 },
        cache_creation_token_details: { ephemeral_1h_input_tokens: 30 },
      },
      { cache_read_input_tokens: 50, cache_creation_input_tokens: 40 },
    ),
    { cached: 50, cache_write: 40, long_cache_write: 30 },
  ],
  [
    "a server that has Anthropic's names alone",
    { cache_read_input_tokens: 50, cache_creation_input_tokens: 40 },
    { cached: 50, cache_write: 40 },
  ],
  ["DeepSeek", { prompt_cache_hit_tokens: 50, prompt_cache_miss_tokens: 80 }, { cached: 50 }],
  ["Moonshot", { cached_tokens: 50 }, { cached: 50 }],
  ["no cache", cacheOf({ cached_tokens: 0, cache_write_tokens: null }), {}],
])("what a cache gave and took counts, as %s names it", (_, counts, is) => {
  const sums = { prompt_tokens: 130, completion_tokens: 7, total_tokens: 137 };
  expect(apis.chat.usageOf({ ...sums, ...counts })).toEqual(
    usage({ input: 130, output: 7, ...is }),
  );
});

test("what a cache took counts in Responses", () => {
  const details = { cached_tokens: 50, cache_write_tokens: 40 };
  const reported = { input_tokens: 130, output_tokens: 7, input_tokens_details: details };
  expect(apis.responses.usageOf(reported)).toEqual(
    usage({ input: 130, output: 7, cached: 50, cache_write: 40 }),
  );
});

test("anything but an object with counts is no usage", () => {
  expect([undefined, null, 5, "many", [], {}].map((value) => apis.chat.usageOf(value))).toEqual(
    Array(6).fill(undefined),
  );
});

test("what is no count counts as none", () => {
  expect(apis.chat.usageOf({ prompt_tokens: -5, completion_tokens: 7 })).toEqual(
    usage({ output: 7 }),
  );
  expect(apis.chat.usageOf({ prompt_tokens: 1.5, completion_tokens: 1e300 })).toEqual(
    usage({ input: 2, output: 1_000_000_000_000 }),
  );
});

test.each(["messages", "chat", "responses"] as const)(
  "a usage of %s without numbers is none",
  (api) => {
    const names =
      api === "chat" ? ["prompt_tokens", "completion_tokens"] : ["input_tokens", "output_tokens"];
    expect(apis[api].usageOf({})).toBeUndefined();
    for (const wrong of [-5, "12", null])
      expect(
        apis[api].usageOf(Object.fromEntries(names.map((name) => [name, wrong]))),
      ).toBeUndefined();
  },
);

test.each([
  ["in the total alone", { completion_tokens: 7, total_tokens: 437 }, 307],
  ["apart", { completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 300 } }, 307],
  ["within", { completion_tokens: 307, completion_tokens_details: { reasoning_tokens: 300 } }, 307],
  ["nowhere, and the cache is in the total twice", { completion_tokens: 7, total_tokens: 237 }, 7],
  ["nowhere, and what the cache took is as well", { completion_tokens: 7, total_tokens: 257 }, 7],
])("thoughts are output where a server counts them %s", (_, counts, output) => {
  const details = { cached_tokens: 100, cache_write_tokens: 20 };
  const prompt = { prompt_tokens: 130, prompt_tokens_details: details };
  expect(apis.chat.usageOf({ ...prompt, ...counts })?.output).toBe(output);
});

test.each([
  ["openai/o3", {}, true],
  ["google/gemini-2.5-pro", {}, true],
  ["grok-4", {}, true],
  ["gemini-2.0-flash", {}, false],
  ["gpt-5", { reasoning_effort: "none" }, false],
  ["plain", { reasoning: { max_tokens: 2_000 } }, true],
  ["plain", { thinking: { type: "enabled" } }, true],
  ["plain", {}, false],
])("whether %s thinks unseen, asked with %p: %p", (model, request, thinks) => {
  expect(apis.chat.thinks(request, model)).toBe(thinks);
});
